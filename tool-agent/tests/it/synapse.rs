//! What Synapse's loop does around a callable, in an agent's loop.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::{Agent, Endpoint, Hooks, Run, RunEnd, RunEvent, Session};
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, Encoder, Executor,
    call::{Cancel, Decision, Scope, State},
    executor::Event,
    tool, tools,
    wire::StreamEvent,
};

use crate::http::{Server, stream, whole};
use crate::scripts::{Notes, answered, answers, bare, call, calls, roles, script, stored, text};

/// Adds two numbers.
#[tool(meta(kind = "maths"))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Fails.
#[tool(meta(kind = "broken"))]
fn fail() -> Result<u8, &'static str> {
    Err("the disk is full")
}

/// Looks.
#[tool]
fn look(#[state] notes: &Notes) -> &'static str {
    notes.write("look");
    "seen"
}

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("role") == Some(&json!("admin"))
}

fn is_asked_for(scope: &Scope<'_>) -> bool {
    scope.input.is_some_and(|input| input.contains("help"))
}

/// Resets.
#[tool(visible = is_admin)]
fn reset(role: &str, #[state] notes: &Notes) -> &'static str {
    notes.write(format!("reset {role}"));
    "reset"
}

/// Helps.
#[tool(visible = is_asked_for)]
fn assist() -> &'static str {
    "helped"
}

/// Makes the user an administrator.
#[tool]
fn promote(#[context] cx: &Context) -> bool {
    cx.update_state("role", "admin")
}

#[tokio::test]
async fn input_and_state_decide_what_a_model_is_offered_and_arguments_do_not() {
    let notes = Notes::default();
    let reset_call = |id| call(id, "reset", &json!({"role": "admin"}));
    let model = script([
        calls([reset_call("c1"), bare("promote")]),
        calls([reset_call("c2"), bare("assist")]),
        text("Reset."),
        calls([bare("assist")]),
        text("Helped."),
    ]);
    let tools = tools![reset, assist, look, promote; state = notes.clone()];
    let agent = Agent::new(model.clone(), tools);
    let guest = State::new().with("role", "guest");
    let mut session = Session::ask("Reset it!").with_state(guest);
    let cx = Context::new();
    let _ = agent.run(&mut session, &cx).await.unwrap();
    session.say("And help me.").unwrap();
    let _ = agent.run(&mut session, &cx).await.unwrap();

    let offered: Vec<_> = model.requests().into_iter().map(|one| one.tools).collect();
    // What a rule says nothing about is there, and the order is that of registration.
    let (guest, admin) = (["look", "promote"], ["reset", "look", "promote"]);
    let helped = ["reset", "assist", "look", "promote"];
    assert_eq!(offered[0], guest);
    assert_eq!(offered[1], admin);
    assert_eq!(offered[2], admin);
    assert_eq!(offered[3], helped);
    // A call that claims the role in its arguments is one of no tool.
    assert_eq!(
        answers(session.thread()),
        [
            "unknown tool `reset`",
            "true",
            "reset",
            "unknown tool `assist`",
            "helped"
        ]
    );
    assert_eq!(notes.take(), ["reset admin"]);
}

#[tokio::test]
async fn an_envelope_says_success_value_and_errors_and_attributes_where_asked() {
    let turn = || {
        [
            call("c1", "add", &json!({"a": 2, "b": 2})),
            bare("fail"),
            bare("nope"),
        ]
    };
    let good = json!({"success": true, "result": 4, "errors": []});
    let bad = json!({"success": false, "result": null, "errors": ["the disk is full"]});
    let unknown = json!({"success": false, "result": null, "errors": ["unknown tool `nope`"]});
    let with = |envelope: &Value, attributes: Value| {
        let mut envelope = envelope.clone();
        envelope["attributes"] = attributes;
        envelope
    };
    let told = [
        with(&good, json!({"kind": "maths"})),
        with(&bad, json!({"kind": "broken"})),
        with(&unknown, json!({})),
    ];
    for (encoder, expected) in [
        (Encoder::envelope(), [good, bad, unknown]),
        (Encoder::envelope_with_attributes(), told),
    ] {
        let model = script([calls(turn()), text("Done.")]);
        let agent = Agent::new(model.clone(), tools![add, fail]).encoder(encoder);
        let mut session = Session::ask("Go!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let asked = &model.requests()[1].thread;
        let texts = answers(asked).into_iter();
        let texts: Vec<Value> = texts
            .map(|text| serde_json::from_str(text).unwrap())
            .collect();
        assert_eq!(texts, expected);
        assert_eq!(
            answered(asked),
            [
                ("c1", "add", false),
                ("fail", "fail", true),
                ("nope", "nope", true)
            ]
        );
    }
}

#[tokio::test]
async fn a_model_that_names_no_tool_is_told_and_goes_on() {
    let sum = json!({"a": 2, "b": 2});
    let model = script([
        calls([call("c1", "ad", &sum), call("c2", "launch", &json!({}))]),
        calls([call("c3", "add", &sum)]),
        text("It is 4."),
    ]);
    let agent = Agent::new(model.clone(), tools![add]);
    let mut session = Session::ask("2 + 2?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.end.as_str(), run.turns), ("completed", 3));
    let read = &model.requests()[1].thread;
    let words = [
        "unknown tool `ad`; did you mean `add`?",
        "unknown tool `launch`",
    ];
    assert_eq!(answers(read), words);
    assert_eq!(answered(read), [("c1", "ad", true), ("c2", "launch", true)]);
    assert_eq!(answers(session.thread())[2], "4");
}

/// Reads mail.
#[tool(meta(risk = "low"))]
fn read_mail(#[state] notes: &Notes) -> &'static str {
    notes.write("read");
    "no mail"
}

/// Sends mail.
#[tool(meta(risk = "high"))]
fn send_mail(#[arg(len(1..))] to: &str, #[state] notes: &Notes) -> String {
    notes.write(format!("sent to {to}"));
    format!("sent to {to}")
}

/// A turn with a call below the threshold, and four above it.
fn mails() -> [toolwright::ToolCall; 5] {
    let mail = |id, to| call(id, "send_mail", &json!({"to": to}));
    let rest = [
        mail("approved", "ada"),
        mail("rejected", "bob"),
        mail("edited", "eve"),
        mail("wrong", "ivy"),
    ];
    let [a, b, c, d] = rest;
    [bare("read_mail"), a, b, c, d]
}

fn decision(id: &str) -> Decision {
    match id {
        "approved" => Decision::Approve,
        "rejected" => Decision::Reject("too costly".into()),
        "edited" => Decision::edit(json!({"to": "joe"})),
        _ => Decision::edit(json!({"to": ""})),
    }
}

#[tokio::test]
async fn a_person_is_asked_from_a_risk_on_and_each_decision_is_what_the_model_reads() {
    let (ran, asked) = (Notes::default(), Notes::default());
    let listens = asked.clone();
    let approval = Approval::at_least(Risk::Medium).ask(move |ask| {
        listens.write(&*ask.call.id);
        let decision = decision(&ask.call.id);
        async move { decision }
    });
    let executor =
        Executor::serial(tools![read_mail, send_mail; state = ran.clone()]).layer(approval);
    let model = script([calls(mails()), text("Done.")]);
    let agent = Agent::with_executor(model.clone(), executor);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(asked.take(), ["approved", "rejected", "edited", "wrong"]);
    assert_eq!(ran.take(), ["read", "sent to ada", "sent to joe"]);
    let read = answers(&model.requests()[1].thread).join("\n");
    assert!(
        read.starts_with(
            "no mail\nsent to ada\nthe call was rejected: too costly\nsent to joe\nto: "
        ),
        "{read}"
    );
    let failed: Vec<_> = answered(session.thread())
        .into_iter()
        .map(|one| one.2)
        .collect();
    assert_eq!(failed, [false, false, true, false, true]);
}

#[tokio::test]
async fn a_person_who_is_not_there_decides_later() {
    let ran = Notes::default();
    let executor = Executor::serial(tools![read_mail, send_mail; state = ran.clone()])
        .layer(Approval::at_least(Risk::Medium));
    let agent = Agent::with_executor(script([calls(mails()), text("Done.")]), executor);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    assert_eq!(ran.take(), ["read"]);
    let mut session = stored(&session);
    for pending in session.pending() {
        let id = &*pending.call.id;
        session.decide(id, decision(id)).unwrap();
    }
    // An edit that the tool does not take is refused, and its call waits on.
    agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert_eq!(ran.take(), [""; 0]);
    session
        .decide("wrong", Decision::Reject(String::new()))
        .unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(ran.take(), ["sent to ada", "sent to joe"]);
    assert_eq!(
        answers(session.thread()),
        [
            "no mail",
            "sent to ada",
            "the call was rejected: too costly",
            "sent to joe",
            "the call was rejected"
        ]
    );
}

#[tokio::test]
async fn pieces_of_a_stream_are_put_together_by_index_and_a_broken_call_ends_no_stream() {
    let piece = |index: usize, id: &str, name: &str, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        let call = json!({"index": index, "id": id, "function": function});
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    };
    let pieces = [
        piece(0, "first", "ad", "{\"a\": 2,"),
        piece(1, "c2", "look", ""),
        piece(2, "c3", "look", "{\"a\": "),
        piece(0, "", "add", " \"b\": 2}"),
        piece(3, "c4", "look", "[7]"),
    ];
    let lines = pieces.iter().map(|piece| format!("data: {piece}\n\n"));
    let events = lines.collect::<String>() + "data: [DONE]\n\n";
    let words = json!({"choices": [{"message": {"role": "assistant", "content": "It is 4."}}]});
    let server = Server::start(vec![stream(&events), whole(&words.to_string())]).await;

    let (heard, ran) = (Notes::default(), Notes::default());
    let listens = heard.clone();
    let model = Endpoint::openai_chat(&*server.url, "m", "");
    let agent = Agent::new(model, tools![add, look; state = ran.clone()]).on_event(move |event| {
        if let RunEvent::CallsReady { calls, .. } = event {
            for call in *calls {
                listens.write(format!("{} {} {}", call.id, call.name, call.arguments));
            }
        }
    });
    let mut session = Session::ask("2 + 2?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("It is 4."));
    assert_eq!(
        heard.take(),
        [
            "first add {\"a\": 2, \"b\": 2}",
            "c2 look ",
            "c3 look {\"a\": ",
            "c4 look [7]"
        ]
    );
    // Where nothing came the tool ran, without arguments; of the others the model reads what is wrong.
    assert_eq!(ran.take(), ["look"]);
    let failed: Vec<_> = answered(session.thread())
        .into_iter()
        .map(|one| one.2)
        .collect();
    assert_eq!(failed, [false, false, true, true]);
    let read = answers(session.thread());
    assert_eq!(read[..2], ["4", "seen"]);
    assert!(
        read[2].contains("JSON") && read[3].contains("object"),
        "{read:?}"
    );
    let sent = server.got()[1].body["messages"].clone();
    assert_eq!(sent.as_array().unwrap().len(), 6);
}

/// Says stop, as a user does while it runs.
#[tool]
fn stop(#[context] cx: &Context) -> &'static str {
    cx.get::<Cancel>().unwrap().cancel();
    "stopped"
}

#[tokio::test]
async fn after_a_stop_no_further_tool_runs_and_the_model_is_not_asked() {
    let ran = Notes::default();
    let model = script([calls([
        bare("look"),
        bare("stop"),
        call("c3", "look", &json!({})),
    ])]);
    let agent = Agent::new(model.clone(), tools![look, stop; state = ran.clone()]);
    let mut session = Session::ask("Go!");
    let cancel = Cancel::new();
    let cx = Context::new().with(cancel.clone()).with_cancel(cancel);
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Cancelled));
    assert_eq!(ran.take(), ["look"]);
    // Each call is answered all the same.
    let answers = answers(session.thread());
    assert_eq!(
        (answers.len(), answers[0], answers[2]),
        (3, "seen", "the call was cancelled")
    );
    model.finish();
}

/// Writes what it is told.
struct Hears(Notes);

impl Hooks for Hears {
    fn before_run(&self, _session: &mut Session) {
        self.0.write("before run");
    }

    fn after_run(&self, _session: &mut Session, run: &Run) {
        self.0.write(format!("after run: {}", run.end.as_str()));
    }

    fn before_model(&self, _session: &mut Session) {
        self.0.write("before model");
    }

    fn after_model(&self, _session: &mut Session) {
        self.0.write("after model");
    }
}

/// What a stream tells of calls and of its end.
fn told(event: &RunEvent<'_>) -> Option<String> {
    Some(match event {
        RunEvent::RunStarted { .. } => "start".into(),
        RunEvent::Delta {
            delta: StreamEvent::Text(text),
            ..
        } => text.clone(),
        RunEvent::Call {
            event: Event::Started { call, .. },
            ..
        } => format!("{} runs", call.name),
        RunEvent::Call {
            event: Event::Finished { result, .. },
            ..
        } => {
            let ok = if result.is_success() {
                "succeeded"
            } else {
                "failed"
            };
            format!("{} {ok}", result.name)
        }
        RunEvent::RunFinished { run, .. } => format!("end: {}", run.end.as_str()),
        _ => return None,
    })
}

#[tokio::test]
async fn hooks_and_events_tell_success_and_error_and_the_end_once() {
    let broken = || Err(ModelError::new(ModelErrorKind::Busy, "429"));
    let first = || calls([bare("fail"), call("c2", "add", &json!({"a": 2, "b": 2}))]);
    let turn = ["before model", "after model"];
    let tools = ["fail runs", "fail failed", "add runs", "add succeeded"];
    for (last, rest) in [
        (
            text("It is 4."),
            &[
                "before model",
                "It ",
                "is ",
                "4.",
                "after model",
                "after run: completed",
                "end: completed",
            ][..],
        ),
        // A model that fails later is a result, which both are told.
        (
            broken(),
            &["before model", "after run: error", "end: error"],
        ),
    ] {
        let notes = Notes::default();
        let listens = notes.clone();
        let agent = Agent::new(script([first(), last]), tools![add, fail])
            .hooks(Hears(notes.clone()))
            .on_event(move |event| told(event).into_iter().for_each(|line| listens.write(line)));
        let _ = agent
            .run(&mut Session::ask("Go!"), &Context::new())
            .await
            .unwrap();
        let expected = [&["before run", "start"], &turn[..], &tools, rest].concat();
        assert_eq!(notes.take(), expected);
    }
    // Of one that fails at once the caller has the error, and there is no run to tell of.
    let notes = Notes::default();
    let agent = Agent::new(script([broken()]), tools![add]).hooks(Hears(notes.clone()));
    agent
        .run(&mut Session::ask("Go!"), &Context::new())
        .await
        .unwrap_err();
    assert_eq!(notes.take(), ["before run", "before model"]);
}

/// Counts, in the conversation's state.
#[tool]
fn count(#[context] cx: &Context) -> u64 {
    let n = cx
        .session_state()
        .get("n")
        .and_then(Value::as_u64)
        .unwrap_or_default()
        + 1;
    cx.update_state("n", n);
    n
}

#[tokio::test]
async fn a_conversations_state_is_a_value_that_changes_between_turns() {
    let model = script([
        calls([bare("count"), bare("count")]),
        calls([bare("count")]),
        text("Two."),
    ]);
    let agent = Agent::new(model.clone(), tools![count]);
    let known = State::new().with("user", "ada");
    let mut session = Session::ask("Count!").with_state(known.clone());
    let copy = session.clone();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    // Within a turn the state stays; the next turn reads what was left.
    assert_eq!(answers(session.thread()), ["1", "1", "2"]);
    assert_eq!(session.state(), &known.clone().with("n", 2));
    // A copy, in whatever stage, is another value.
    assert_eq!((copy.state(), copy.thread().len()), (&known, 1));
    let lengths: Vec<_> = model
        .requests()
        .iter()
        .map(|one| one.thread.len())
        .collect();
    assert_eq!(lengths, [1, 4, 6]);
    // The model's last words are appended, and what tools answered is in the thread.
    let expected = [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ];
    assert_eq!(roles(session.thread()), expected);
    assert_eq!(
        (run.text(), session.thread().last_text()),
        (Some("Two."), Some("Two."))
    );
}
