//! What a session takes at each status, and what people say to it while it pauses.
// A test that finds less than it expects has failed; steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::{ThreadRepair, ToolMessage};
use toolwright::agent::{
    Agent, AgentError, AgentTool, MemoryCheckpointer, ModelResponse, Node, Session, Status, Thread,
    ThreadMessage,
};
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, Encoder, Executor, Outcome, Provide, ToolCall, ToolResult, Toolset, call::Decision,
    tool, tools,
};

/// A thread takes answers as if it looked at all of its messages each time.
#[test]
fn answers_in_any_order_stand_in_call_order_once() {
    let calls: Vec<_> = (0..40)
        .map(|n| ToolCall::new(format!("c{n}"), "weather", "{}"))
        .collect();
    let answer = |index: usize, text: &str| {
        let result = ToolResult::new(&calls[index], Ok(Outcome::value(text)));
        ToolMessage::of(index, &result, Encoder::auto())
    };
    let (mut random, mut thread) = (7_u64, Thread::from([ThreadMessage::user("Go!")]));
    for round in 0..20 {
        thread.push(ThreadMessage::calls(calls.iter().cloned()));
        let start = thread.len();
        let mut expected = BTreeMap::new();
        for step in 0..120 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let index = usize::try_from(random >> 33).unwrap() % calls.len();
            let text = format!("{round} {step}");
            assert!(thread.answer(answer(index, &text)));
            expected.insert(index, text);
            if step == 60 {
                // A stored thread knows as much.
                let stored = serde_json::to_string(&thread).unwrap();
                thread = serde_json::from_str(&stored).unwrap();
            }
        }
        let answers = thread.messages()[start..]
            .iter()
            .map(|message| match message {
                ThreadMessage::Tool(answer) => (answer.index, answer.text.clone()),
                message => panic!("{message:?}"),
            });
        assert!(answers.eq(expected));
        thread.repair(&ThreadRepair::Answer("gone".into()));
        assert!(thread.check().is_ok());
        thread.push(ThreadMessage::user("Again!"));
        // A message in between ends the turn's answers, and what is said later goes before it.
        assert!(thread.answer(answer(3, "late")));
        assert!(thread.check().is_ok());
    }
    let turn = |thread: &Thread| {
        thread
            .messages()
            .iter()
            .rposition(|one| !one.tool_calls().is_empty())
    };
    let size = thread.len();
    thread.trim(50, |_| 1);
    assert!(thread.len() < size && turn(&thread).is_some());
    assert!(thread.answer(answer(5, "after")));
    assert!(thread.check().is_ok());

    // Answers that somebody stored in another order, twice, or to no call.
    let stored = [4, 2, 7].map(|index| ThreadMessage::Tool(answer(index, "stored")));
    let before = [
        ThreadMessage::user("Go!"),
        ThreadMessage::calls(calls.iter().cloned()),
    ];
    let mut thread = Thread::from([before.as_slice(), &stored].concat());
    assert!(thread.answer(answer(2, "again")));
    assert_eq!(thread.len(), 5);
    assert!(thread.answer(answer(9, "new")) && thread.answer(answer(0, "new")));
    let mut nobodys = answer(2, "no call's");
    nobodys.index = 1;
    assert!(!thread.answer(nobodys));
    assert_eq!(thread.unanswered().len(), calls.len() - 5);
}

/// What ran, with what.
#[derive(Clone, Default, Provide)]
struct Ledger {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Ledger {
    fn write(&self, line: String) -> String {
        self.lines.lock().unwrap().push(line.clone());
        line
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

/// Weather of a city.
#[tool]
fn weather(#[arg(len(1..))] city: &str, #[state] ledger: &Ledger) -> String {
    ledger.write(format!("sun in {city}"))
}

/// Books a journey.
#[tool(destructive, meta(risk = "high"))]
fn book(city: &str, #[state] ledger: &Ledger) -> String {
    ledger.write(format!("to {city}"))
}

/// Charges a card.
#[tool(manual)]
fn charge(cents: u64, #[state] ledger: &Ledger) -> String {
    ledger.write(format!("charged {cents}"))
}

/// Asks for a city.
#[tool]
fn pick_city() -> Outcome {
    Outcome::ask("Which city?").option("choices", json!(["Oslo", "Rome"]))
}

fn all(ledger: &Ledger) -> Toolset {
    tools![weather, book, charge, pick_city; state = ledger.clone()]
}

fn weather_call(id: &str, city: &str) -> ToolCall {
    ToolCall::new(id, "weather", json!({"city": city}).to_string())
}

fn book_call(id: &str, city: &str) -> ToolCall {
    ToolCall::new(id, "book", json!({"city": city}).to_string())
}

fn charge_call(id: &str) -> ToolCall {
    ToolCall::new(id, "charge", r#"{"cents": 5}"#)
}

fn ask_call(id: &str) -> ToolCall {
    ToolCall::new(id, "pick_city", "{}")
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn agent(
    ledger: &Ledger,
    script: impl IntoIterator<Item = Result<ModelResponse, ModelError>>,
) -> Agent {
    Agent::new(ScriptedModel::new(script), all(ledger))
}

/// The session after a run of this script.
async fn after(
    script: impl IntoIterator<Item = Result<ModelResponse, ModelError>>,
    of: impl FnOnce(Agent) -> Agent,
) -> Session {
    let agent = of(agent(&Ledger::default(), script));
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session
}

fn stored(session: &Session) -> String {
    serde_json::to_string(session).unwrap()
}

fn answers(session: &Session) -> Vec<String> {
    let answers = session
        .thread()
        .messages()
        .iter()
        .filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some(answer.text.clone()),
            _ => None,
        });
    answers.collect()
}

/// The name of the status, or of what stands in the way.
fn told(result: Result<(), SessionError>) -> &'static str {
    match result {
        Ok(()) => "ok",
        Err(SessionError::WrongStatus { status, .. }) => status,
        Err(SessionError::NeedsAnswer(_)) => "awaiting_user",
        Err(SessionError::Failed(_)) => "failed",
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn each_status_takes_what_it_waits_for_and_nothing_else() {
    let broken = || Err(ModelError::new(ModelErrorKind::Busy, "429"));
    let sessions = [
        ("idle", Session::ask("Go!")),
        (
            "awaiting_user",
            after([calls(&[ask_call("c1")])], |agent| agent).await,
        ),
        (
            "awaiting_tools",
            after([calls(&[charge_call("c1")])], |agent| agent).await,
        ),
        (
            "interrupted",
            after([calls(&[weather_call("c1", "Oslo")])], |agent| {
                agent.interrupt_before(Node::Tools)
            })
            .await,
        ),
        ("completed", after([text("Done.")], |agent| agent).await),
        (
            "failed",
            after([calls(&[weather_call("c1", "Oslo")]), broken()], |agent| {
                agent
            })
            .await,
        ),
    ];
    // What is taken, by status: reply, answer, submit, decide, run.
    let table: BTreeMap<&str, [bool; 5]> = BTreeMap::from([
        ("idle", [true, false, false, false, true]),
        ("awaiting_user", [true, true, false, false, false]),
        ("awaiting_tools", [false, false, true, true, false]),
        ("interrupted", [false, false, false, true, true]),
        ("completed", [true, false, false, false, true]),
        ("failed", [false; 5]),
    ]);
    for (status, session) in sessions {
        assert_eq!(session.status().as_str(), status);
        for (place, is_taken) in table[status].into_iter().enumerate() {
            // As it comes back from wherever it was kept.
            let before = stored(&session);
            let mut session: Session = serde_json::from_str(&before).unwrap();
            let found = match place {
                0 => told(session.say("And?")),
                1 => told(session.answer("Oslo")),
                2 => told(session.submit("c1", 1)),
                3 => told(session.decide("c1", Decision::Approve)),
                _ => {
                    let rest = (status != "completed").then(|| text("Done."));
                    let rest = rest.filter(|_| is_taken);
                    let run = agent(&Ledger::default(), rest);
                    match run.run(&mut session, &Context::new()).await {
                        Ok(_) => "ok",
                        Err(AgentError::Session(error)) => told(Err(error)),
                        Err(error) => panic!("{status}: {error}"),
                    }
                }
            };
            assert_eq!(
                found,
                if is_taken { "ok" } else { status },
                "{status}, {place}"
            );
            if !is_taken {
                assert_eq!(stored(&session), before, "{status}, {place}");
            }
        }
    }
}

#[tokio::test]
async fn results_are_taken_once_for_calls_that_wait_and_all_or_none() {
    let turn = [
        charge_call("c1"),
        weather_call("c2", "Oslo"),
        charge_call("c3"),
    ];
    let mut session = after([calls(&turn)], |agent| agent).await;
    let before = stored(&session);
    let unknown = |id: &str| SessionError::UnknownCall(id.to_owned());
    // Of no call, and of one that ran by itself.
    assert_eq!(session.submit("c9", 1), Err(unknown("c9")));
    assert_eq!(session.submit("c2", 1), Err(unknown("c2")));
    let both = |second| {
        [("c1", 1), (second, 2)].map(|(id, value)| (CallRef::from(id), Ok(Outcome::value(value))))
    };
    assert_eq!(session.submit_all(both("c2")), Err(unknown("c2")));
    let unwritable = BTreeMap::from([(vec![1], 1)]);
    let error = session.submit("c1", unwritable).unwrap_err();
    assert!(matches!(error, SessionError::Unwritable(_)));
    session.submit_all([]).unwrap();
    assert_eq!(stored(&session), before);

    // Taken in any order, and put where they belong; nothing runs before the last one is there.
    session.submit("c3", "three").unwrap();
    assert_eq!(session.status(), Status::AwaitingTools);
    assert_eq!(session.submit("c3", "again"), Err(unknown("c3")));
    let model = agent(&Ledger::default(), [text("Done.")]);
    let error = model.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(matches!(
        error,
        AgentError::Session(SessionError::WrongStatus { .. })
    ));
    session.submit("c1", json!({"approved": true})).unwrap();
    assert_eq!(session.status(), Status::Idle);
    let run = model.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(
        answers(&session),
        [r#"{"approved":true}"#, "sun in Oslo", "three"]
    );

    let mut session: Session = serde_json::from_str(&before).unwrap();
    session.submit_all(both("c3")).unwrap();
    assert_eq!(answers(&session), ["1", "sun in Oslo", "2"]);
}

#[tokio::test]
async fn a_question_stands_in_the_thread_and_survives_storage() {
    let session = after([calls(&[ask_call("c1")])], |agent| agent).await;
    let messages = session.thread().messages();
    assert_eq!(answers(&session), ["<awaiting user response>"]);
    let Some(ThreadMessage::Assistant(question)) = messages.last() else {
        panic!("{messages:?}");
    };
    assert_eq!(question.text, "Which city?");
    assert!(question.asks);

    let mut session: Session = serde_json::from_str(&stored(&session)).unwrap();
    let Status::AwaitingUser {
        index,
        id,
        question,
        options,
    } = session.status()
    else {
        panic!("{session:?}");
    };
    assert_eq!((index, &*id, question.as_str()), (0, "c1", "Which city?"));
    assert_eq!(options["choices"], json!(["Oslo", "Rome"]));
    session.say("Oslo").unwrap();
    let model = agent(&Ledger::default(), [text("Sun in Oslo.")]);
    let run = model.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Sun in Oslo."));
    assert_eq!(session.status(), Status::Completed);
    assert_eq!(session.thread().last_input(), Some("Oslo"));
}

#[tokio::test]
async fn of_a_turn_that_asks_the_manual_calls_stay_pending() {
    let ledger = Ledger::default();
    let script = [calls(&[charge_call("c1"), ask_call("c2")]), text("Done.")];
    let agent = agent(&ledger, script);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "ask_user");
    session.answer("Oslo").unwrap();
    assert_eq!(session.status(), Status::AwaitingTools);
    session.decide("c1", Decision::Approve).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), ["charged 5", "Oslo"]);
}

#[tokio::test]
async fn questions_are_answered_in_any_order_by_their_calls() {
    let turn = [
        ask_call("a"),
        charge_call("b"),
        ask_call("c"),
        ask_call("a"),
    ];
    let ledger = Ledger::default();
    let agent = agent(&ledger, [calls(&turn), text("Done.")]);
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let places = |session: &Session| -> Vec<_> {
        let open = session.questions().into_iter();
        open.map(|asks| asks.index).collect()
    };
    assert_eq!(places(&session), [0, 2, 3]);
    assert_eq!(
        session.questions()[1].reason.question().unwrap().options["choices"][0],
        "Oslo"
    );

    // What is refused changes nothing.
    let before = stored(&session);
    let unknown = SessionError::UnknownCall("b".into());
    assert_eq!(session.answer_call("b", 1), Err(unknown));
    let twice = SessionError::AmbiguousCall("a".into());
    assert_eq!(session.answer_call("a", 1), Err(twice));
    let unwritable = BTreeMap::from([(vec![1], 1)]);
    let error = session.answer_call("c", unwritable).unwrap_err();
    assert!(matches!(error, SessionError::Unwritable(_)));
    assert_eq!(stored(&session), before);

    // The one that is told is the first that is open, whatever was answered.
    for (call, answer, rest) in [
        (CallRef::from("c"), "second", &[0, 3][..]),
        (CallRef::Index(3), "third", &[0]),
        (CallRef::from("a"), "first", &[]),
    ] {
        session = serde_json::from_str(&stored(&session)).unwrap();
        session.answer_call(call, answer).unwrap();
        assert_eq!(places(&session), rest);
        let told = match session.status() {
            Status::AwaitingUser { index, .. } => Some(index),
            _ => None,
        };
        assert_eq!(told, rest.first().copied());
    }
    // The call beside them waits on.
    assert_eq!(session.status(), Status::AwaitingTools);
    session.submit("b", "by hand").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(answers(&session), ["first", "by hand", "second", "third"]);
}

#[tokio::test]
async fn questions_inside_of_agents_are_answered_in_any_order_too() {
    let inner = |name: &str| {
        let both = [ask_call("x"), ask_call("y")];
        let inner = agent(&Ledger::default(), [calls(&both), text("Done.")]);
        AgentTool::new(inner, name, "Helps.").build().unwrap()
    };
    let tools = Toolset::new([inner("one"), inner("two")]).unwrap();
    let tools = tools.merge(&all(&Ledger::default())).unwrap();
    let ask = |id: &str, name: &str| ToolCall::new(id, name, r#"{"input": "Go!"}"#);
    let turn = [ask("a", "one"), ask_call("b"), ask("c", "two")];
    let model = ScriptedModel::new([calls(&turn), text("Done.")]);
    let agent = Agent::new(model, tools);
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    for call in ["c", "b", "a", "c", "a"] {
        session = serde_json::from_str(&stored(&session)).unwrap();
        assert_eq!(session.status().as_str(), "awaiting_user");
        session.answer_call(call, "Oslo").unwrap();
    }
    assert!(session.questions().is_empty());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(answers(&session), ["Done.", "Oslo", "Done."]);
}

#[tokio::test]
async fn calls_that_nobody_answers_are_stripped_or_answered_in_the_store_too() {
    let repairs = [
        ThreadRepair::Strip,
        ThreadRepair::Answer("nobody answered".into()),
    ];
    for (repair, roles) in repairs.into_iter().zip([1, 4]) {
        let script = [
            calls(&[weather_call("c1", "Oslo"), charge_call("c2")]),
            text("Done."),
        ];
        let ledger = Ledger::default();
        let agent = agent(&ledger, script).checkpointer(MemoryCheckpointer::new());
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let repaired = agent.update_state("s", |session| {
            session.repair(&repair);
            Ok(())
        });
        repaired.await.unwrap();
        // What an agent is given from now on can be gone on with.
        let kept = agent.state("s").await.unwrap().unwrap();
        assert!(kept.thread().check().is_ok() && kept.pending().is_empty());
        let strips = repair == ThreadRepair::Strip;
        let calls: usize = kept
            .thread()
            .messages()
            .iter()
            .map(|one| one.tool_calls().len())
            .sum();
        assert_eq!(calls, if strips { 1 } else { 2 });
        let (session, run) = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(session.thread().len(), roles + if strips { 3 } else { 1 });
        // A thread that is whole stays as it is.
        let mut whole: Session = serde_json::from_str(&stored(&session)).unwrap();
        whole.repair(&repair);
        assert_eq!(stored(&whole), stored(&session));
    }
    // A question is asked on, whatever becomes of its turn's other calls.
    for repair in [ThreadRepair::Strip, ThreadRepair::Answer("no".into())] {
        let turn = [charge_call("c1"), ask_call("c2"), charge_call("c3")];
        let mut session = after([calls(&turn)], |agent| agent).await;
        session.repair(&repair);
        assert_eq!(session.status().as_str(), "awaiting_user");
        session.answer("Oslo").unwrap();
        assert_eq!(session.status(), Status::Idle);
        assert!(answers(&session).contains(&"Oslo".to_owned()));
        let run = agent(&Ledger::default(), [text("Done.")]);
        let _ = run.run(&mut session, &Context::new()).await.unwrap();
    }
}

#[test]
fn a_thread_is_repaired_wherever_it_is_broken() {
    let answer = |index, call: &ToolCall| {
        let result = ToolResult::new(call, Ok(Outcome::value(1)));
        ThreadMessage::Tool(ToolMessage::of(index, &result, Encoder::auto()))
    };
    let (first, second) = (charge_call("a"), charge_call("b"));
    let broken = || {
        Thread::from([
            answer(0, &first),
            ThreadMessage::user("Go!"),
            ThreadMessage::calls([first.clone(), second.clone()]),
            answer(1, &second),
            ThreadMessage::user("Well?"),
            answer(0, &first),
            ThreadMessage::calls([first.clone()]),
        ])
    };
    let error = broken().check().unwrap_err();
    assert_eq!(error.orphans, [0, 5]);
    let open = |thread: &Thread| -> Vec<_> {
        let open = thread.unanswered().into_iter();
        open.map(|open| (open.message, open.index)).collect()
    };
    assert_eq!(open(&broken()), [(2, 0), (6, 0)]);

    let mut stripped = broken();
    stripped.repair(&ThreadRepair::Strip);
    let whole = Thread::from([
        ThreadMessage::user("Go!"),
        ThreadMessage::calls([second.clone()]),
        answer(0, &second),
        ThreadMessage::user("Well?"),
    ]);
    assert_eq!(stripped, whole);

    let mut answered = broken();
    answered.repair(&ThreadRepair::Answer("lost".into()));
    assert!(answered.check().is_ok());
    let lost = answered.messages().iter().filter(|message| {
        matches!(message, ThreadMessage::Tool(answer) if answer.is_error && answer.text == "lost")
    });
    assert_eq!((lost.count(), answered.len()), (2, 7));
}

/// An agent with a store, which stops before tools, and whose model makes these calls.
async fn reviewed(ledger: &Ledger, turn: &[ToolCall]) -> Agent {
    let executor = Executor::serial(all(ledger)).layer(Approval::at_least(Risk::High));
    let model = ScriptedModel::new([calls(turn), text("Done.")]);
    let agent = Agent::with_executor(model, executor)
        .checkpointer(MemoryCheckpointer::new())
        .interrupt_before(Node::Tools);
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "interrupted");
    assert_eq!(ledger.lines(), [""; 0]);
    agent
}

#[tokio::test]
async fn before_tools_run_each_call_can_be_decided_about() {
    let ledger = Ledger::default();
    let turn = [
        weather_call("c1", "Tokyo"),
        book_call("c2", "Tokyo"),
        weather_call("c3", "Rome"),
        book_call("c4", "Bern"),
        charge_call("c5"),
        weather_call("c6", "Lima"),
    ];
    let agent = reviewed(&ledger, &turn).await;
    let kept = agent.update_state("s", |session| {
        session.decide("c1", Decision::edit(json!({"city": "Kyoto"})))?;
        session.decide("c2", Decision::Reject("too costly".into()))?;
        // Whoever lets it run here is not asked once more.
        session.decide("c4", Decision::Approve)?;
        session.decide("c6", Decision::Answer(json!("rain, they say")))
    });
    assert_eq!(kept.await.unwrap().status().as_str(), "interrupted");
    // The same agent goes on, and what nobody decided about runs as the model wrote it.
    let (mut session, run) = agent.resume("s", &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert_eq!(ledger.lines(), ["sun in Kyoto", "to Bern", "sun in Rome"]);
    let pending = session.pending();
    assert_eq!(
        (pending.len(), pending[0].index, &pending[0].reason),
        (1, 4, &PendingReason::ManualTool)
    );
    session.decide(4, Decision::Approve).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    assert_eq!(
        answers(&session),
        [
            "sun in Kyoto",
            "the call was rejected: too costly",
            "sun in Rome",
            "to Bern",
            "charged 5",
            "rain, they say"
        ]
    );
}

#[tokio::test]
async fn a_call_whose_edit_is_refused_does_not_run_as_it_was() {
    let ledger = Ledger::default();
    let turn = [weather_call("c1", "Tokyo"), weather_call("c2", "Rome")];
    let agent = reviewed(&ledger, &turn).await;
    let mut session = agent.state("s").await.unwrap().unwrap();
    session
        .decide("c1", Decision::edit(json!({"city": ""})))
        .unwrap();
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(
        matches!(&error, AgentError::Decision { path, .. } if path[..] == [0]),
        "{error:?}"
    );
    // Somebody wanted it otherwise, so it waits from now on; nothing ran.
    assert_eq!(session.status(), Status::AwaitingTools);
    assert!(
        matches!(&session.pending()[0].reason, PendingReason::Decision(why) if why["why"].is_string())
    );
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(matches!(
        error,
        AgentError::Session(SessionError::WrongStatus { .. })
    ));
    assert_eq!(ledger.lines(), [""; 0]);
    session
        .decide("c1", Decision::edit(json!({"city": "Kyoto"})))
        .unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(ledger.lines(), ["sun in Kyoto", "sun in Rome"]);
}

#[tokio::test]
async fn a_tool_that_asks_in_its_midst_leaves_the_rest_to_run() {
    let ledger = Ledger::default();
    let turn = [
        ask_call("c1"),
        weather_call("c2", "Rome"),
        charge_call("c3"),
    ];
    let agent = reviewed(&ledger, &turn).await;
    let mut session = agent.state("s").await.unwrap().unwrap();
    session.decide("c1", Decision::Approve).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "ask_user");
    session.answer("Oslo").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert_eq!(ledger.lines(), ["sun in Rome"]);
    session.submit("c3", "by hand").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), ["Oslo", "sun in Rome", "by hand"]);
}

#[tokio::test]
async fn a_round_that_was_decided_about_counts() {
    let ledger = Ledger::default();
    let script = ["c1", "c2"].map(|id| calls(&[weather_call(id, "Oslo")]));
    let agent = agent(&ledger, script)
        .interrupt_before(Node::Tools)
        .max_tool_rounds(1);
    let mut session = Session::ask("Go!");
    for id in ["c1", "c2"] {
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.end.as_str(), "interrupted");
        session.decide(id, Decision::Approve).unwrap();
    }
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "max_tool_rounds");
    assert_eq!(ledger.lines(), ["sun in Oslo"]);
}

/// Calls that the host puts into the thread of its own session have the keys of the next run, before and after the first answer.
#[test]
fn calls_of_the_host_keep_their_keys() {
    /// Is answered by the host.
    #[tool(manual)]
    fn look() -> &'static str {
        "not called"
    }

    let agent = Agent::new(ScriptedModel::new([]), tools![look]);
    let calls = || ["a", "b"].map(|id| ToolCall::new(id, "look", "{}"));
    let keys = |session: &Session| -> Vec<_> {
        let waiting = agent.waiting(session, &Context::new());
        waiting.into_iter().map(|one| one.key).collect()
    };
    let mut session = Session::with_id("s");
    for message in [ThreadMessage::user("Go!"), ThreadMessage::calls(calls())] {
        session.thread_mut().push(message);
    }
    let before = keys(&session);
    assert_eq!(before, ["s/1/0/0/a", "s/1/0/1/b"]);
    let answer = Decision::Answer("a tree".into());
    session.decide("a", answer).unwrap();
    assert_eq!(keys(&session), before[1..]);
}
