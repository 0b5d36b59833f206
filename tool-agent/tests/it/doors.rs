//! A decision ends the same by every door, and once.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, Model, ModelResponse, Session, Status, ThreadMessage};
use toolwright::call::{BoxFuture, Cancel, Decision, ErrorKind};
use toolwright::executor::{ErrorPolicy, Event, OutputLimit};
use toolwright::layers::{Approval, Risk};
use toolwright::{Context, Encoder, Executor, Outcome, ToolCall, ToolError, Toolset, tool, tools};

/// Measures.
#[tool(manual)]
fn measure() -> u8 {
    1
}

/// Measures for the user.
#[tool(manual, return_direct)]
fn measure_directly() -> u8 {
    1
}

/// Asks for a number.
#[tool]
fn ask() -> Outcome {
    Outcome::ask("Which number?")
}

/// Asks for a number for the user.
#[tool(return_direct)]
fn ask_directly() -> Outcome {
    Outcome::ask("Which number?")
}

/// Pays.
#[tool(meta(risk = "high"))]
fn pay(cents: u32) -> String {
    format!("{cents} are paid")
}

fn all() -> Toolset {
    tools![measure, measure_directly, ask, ask_directly, pay]
}

/// The ways in which a person's word comes to a session.
#[derive(Debug, Clone, Copy)]
enum Door {
    Decide,
    ByPath,
    ByKey,
    Submit,
    Answer,
    AnswerCall,
}

impl Door {
    fn give(self, agent: &Agent, session: &mut Session, decision: Decision) {
        let waiting = agent.waiting(session, &Context::new());
        let given = match (self, decision) {
            (Self::ByPath, decision) => session.decide(&*waiting[0].path, decision),
            (Self::ByKey, decision) => session.decide(&waiting[0], decision),
            (Self::Submit, Decision::Answer(value)) => session.submit("c", value),
            (Self::Answer, Decision::Answer(value)) => session.answer(value),
            (Self::AnswerCall, Decision::Answer(value)) => session.answer_call("c", value),
            (_, decision) => session.decide("c", decision),
        };
        given.unwrap();
    }
}

/// Says the same whenever it is asked, if at all.
struct Says(ModelResponse);

impl Model for Says {
    fn respond<'a>(
        &'a self,
        _: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// What there is to see of a call that ended.
#[derive(Debug, PartialEq)]
struct Seen {
    text: String,
    is_error: bool,
    is_direct: bool,
    events: Vec<String>,
    end: String,
}

/// Runs a call up to its pause with all tools, and then, decided, with those of another time.
async fn ended(
    tool: &str,
    door: Door,
    decision: Decision,
    later: &Toolset,
    encoder: Encoder,
    policy: &ErrorPolicy,
) -> Seen {
    let agent = |tools: &Toolset, response: ModelResponse| {
        let executor = Executor::serial(tools)
            .output_limit(OutputLimit::new(20, 3))
            .on_error(policy.clone());
        Agent::with_executor(Says(response), executor).encoder(encoder)
    };
    let call = ToolCall::new("c", tool, "{}");
    let first = agent(&all(), ModelResponse::calls([call]));
    let mut session = Session::ask("Measure!");
    let _ = first.run(&mut session, &Context::new()).await.unwrap();
    door.give(&first, &mut session, decision);
    let mut session: Session =
        serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap();
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let executor = Executor::serial(later)
        .output_limit(OutputLimit::new(20, 3))
        .on_error(policy.clone())
        .on_event(move |event| {
            let name = event.as_str().to_owned();
            seen.lock().unwrap().push(match event {
                Event::Finished { result, .. } => {
                    format!("{name} {}", result.content(Encoder::auto()))
                }
                _ => name,
            });
        });
    let second = Says(ModelResponse::text("Done."));
    let second = Agent::with_executor(second, executor).encoder(encoder);
    let run = second.run(&mut session, &Context::new()).await.unwrap();
    let answer = session.thread().messages().iter();
    let answer = answer.rev().find_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.clone()),
        _ => None,
    });
    let answer = answer.unwrap();
    let events = events.lock().unwrap().clone();
    Seen {
        text: answer.text,
        is_error: answer.is_error,
        is_direct: answer.is_direct,
        events,
        end: run.end.as_str().to_owned(),
    }
}

#[tokio::test]
async fn a_decision_ends_the_same_by_every_door() {
    let doors = [
        (false, Door::Decide),
        (false, Door::ByPath),
        (false, Door::ByKey),
        (false, Door::Submit),
        (true, Door::Decide),
        (true, Door::ByPath),
        (true, Door::ByKey),
        (true, Door::Answer),
        (true, Door::AnswerCall),
    ];
    let decisions = [
        Decision::Answer(json!("0042")),
        Decision::Answer(json!("x".repeat(50))),
        Decision::Answer(json!({"number": 42})),
        Decision::Answer(Value::Null),
        Decision::Reject("too dear".into()),
        Decision::Reject(String::new()),
    ];
    let (all, none) = (all(), Toolset::default());
    let policies = [ErrorPolicy::Continue, ErrorPolicy::Halt];
    for decision in &decisions {
        for direct in [false, true] {
            for later in [&all, &none] {
                for encoder in [Encoder::auto(), Encoder::json(), Encoder::envelope()] {
                    for policy in &policies {
                        let mut first: Option<Seen> = None;
                        for (asks, door) in doors {
                            let tool = match (asks, direct) {
                                (false, false) => "measure",
                                (false, true) => "measure_directly",
                                (true, false) => "ask",
                                (true, true) => "ask_directly",
                            };
                            let decision = decision.clone();
                            let seen = ended(tool, door, decision, later, encoder, policy).await;
                            assert!(seen.events.len() >= 2, "{tool} {door:?} {seen:?}");
                            match &first {
                                Some(first) => assert_eq!(&seen, first, "{tool} {door:?}"),
                                None => first = Some(seen),
                            }
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn text_that_looks_like_a_number_stays_text() {
    for (tool, door) in [("measure", Door::Submit), ("ask", Door::Answer)] {
        let decision = Decision::Answer(json!("0042"));
        let (tools, policy) = (all(), ErrorPolicy::Continue);
        let seen = ended(tool, door, decision, &tools, Encoder::json(), &policy).await;
        assert_eq!(seen.text, r#""0042""#, "{tool}");
    }
}

/// What a host has that is more than a value ends by the same way.
#[tokio::test]
async fn a_failure_of_the_host_and_its_content_are_encoded_by_the_agent() {
    let turn = ["a", "b"].map(|id| ToolCall::new(id, "measure", "{}"));
    let script = [
        Ok(ModelResponse::calls(turn)),
        Ok(ModelResponse::text("Done.")),
    ];
    let executor = Executor::serial(all()).output_limit(OutputLimit::new(5, 3));
    let agent = Agent::with_executor(ScriptedModel::new(script), executor);
    let agent = agent.encoder(Encoder::json());
    let mut session = Session::ask("Measure!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let failed = toolwright::ToolError::failed("no");
    let results = [
        (CallRef::from("a"), Err(failed)),
        (CallRef::from("b"), Ok(Outcome::value("a long text"))),
    ];
    session.submit_all(results).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    let answers: Vec<_> = session
        .thread()
        .messages()
        .iter()
        .filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some(answer.text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(answers[0], r#"{"error":"no"}"#);
    assert!(answers[1].contains("output truncated"), "{answers:?}");
}

/// Words of the user do not take the place of the run that has to encode the answers before them.
#[tokio::test]
async fn a_message_behind_answers_leaves_them_to_the_next_run() {
    for (tool, last) in [("ask", "x"), ("measure", "1")] {
        let turn = ["a", "b"].map(|id| ToolCall::new(id, tool, "{}"));
        let script = [
            Ok(ModelResponse::calls(turn)),
            Ok(ModelResponse::text("Done.")),
        ];
        let executor = Executor::serial(all()).output_limit(OutputLimit::new(5, 3));
        let agent = Agent::with_executor(ScriptedModel::new(script), executor);
        let mut session = Session::ask("Measure!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        if tool == "ask" {
            session.answer_call("a", "a long text").unwrap();
        } else {
            session.submit("a", "a long text").unwrap();
            session.submit("b", 1).unwrap();
        }
        session.say("x").unwrap();
        let mut session: Session =
            serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        let (mut answers, mut words) = (Vec::new(), Vec::new());
        for message in session.thread().messages() {
            match message {
                ThreadMessage::Tool(answer) => answers.push(&*answer.text),
                ThreadMessage::User { text } => words.push(&**text),
                _ => {}
            }
        }
        assert!(answers[0].contains("output truncated"), "{answers:?}");
        assert_eq!(answers[1], last);
        let said: &[&str] = if tool == "ask" {
            &["Measure!"]
        } else {
            &["Measure!", "x"]
        };
        assert_eq!(words, said);
    }
}

/// A result may be any error, also one of a kind that the executor has for itself.
#[tokio::test]
async fn an_error_of_any_kind_is_a_result() {
    for kind in [
        ErrorKind::Cancelled,
        ErrorKind::NotStarted,
        ErrorKind::Timeout,
        ErrorKind::Hidden,
    ] {
        for stops in [false, true] {
            let script = [
                Ok(ModelResponse::calls([ToolCall::new("a", "measure", "{}")])),
                Ok(ModelResponse::text("Done.")),
            ];
            let agent = Agent::new(ScriptedModel::new(script), all());
            let mut session = Session::ask("Measure!");
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
            let error = ToolError::new(kind, "the window was closed");
            session
                .submit_all([(CallRef::from("a"), Err(error))])
                .unwrap();
            if stops {
                let stop = Cancel::new();
                stop.cancel();
                let cx = Context::new().with_cancel(stop);
                let _ = agent.run(&mut session, &cx).await;
            }
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.text(), Some("Done."), "{kind:?}");
            assert_eq!(session.status(), Status::Completed);
        }
    }
}

fn buyer(goes_on: bool) -> Agent {
    let turn = ["c", "d"].map(|id| ToolCall::new(id, "pay", r#"{"cents": 5}"#));
    let executor = Executor::serial(all()).layer(Approval::at_least(Risk::High));
    let script = std::iter::once(Ok(ModelResponse::calls(turn)));
    let script = script.chain(goes_on.then(|| Ok(ModelResponse::text("Done."))));
    Agent::with_executor(ScriptedModel::new(script), executor)
}

#[tokio::test]
async fn a_call_is_decided_once() {
    let first = [
        Decision::Approve,
        Decision::edit(json!({"cents": 6})),
        Decision::Reject("no".into()),
        Decision::Answer(json!(1)),
    ];
    for decision in first {
        let agent = buyer(true);
        let mut session = Session::ask("Buy!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let waiting = agent.waiting(&session, &Context::new());
        session.decide("c", decision).unwrap();
        // What is decided waits for nobody.
        assert_eq!(agent.waiting(&session, &Context::new()), waiting[1..]);
        let before = serde_json::to_string(&session).unwrap();
        let decided = SessionError::Decided("c".into());
        for again in [Decision::Approve, Decision::Reject("yes".into())] {
            for call in [
                CallRef::from("c"),
                CallRef::Index(0),
                CallRef::from(&waiting[0]),
                CallRef::from(&*waiting[0].path),
            ] {
                let both = [
                    (CallRef::from("d"), Decision::Approve),
                    (call.clone(), again.clone()),
                ];
                assert_eq!(session.decide_all(both), Err(decided.clone()));
                assert_eq!(session.decide(call, again.clone()), Err(decided.clone()));
            }
        }
        assert_eq!(session.submit("c", 1), Err(decided.clone()));
        assert_eq!(serde_json::to_string(&session).unwrap(), before);
        session.decide("d", Decision::Approve).unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
    }
}

/// Whoever decided about the call that runs an agent ended its conversation.
#[tokio::test]
async fn nothing_is_decided_in_an_agent_whose_call_is_decided() {
    let inner = AgentTool::new(buyer(false), "buyer", "Buys.")
        .build()
        .unwrap();
    let call = ToolCall::new("x", "buyer", r#"{"input": "Buy!"}"#);
    let script = [
        Ok(ModelResponse::calls([call])),
        Ok(ModelResponse::text("Done.")),
    ];
    let agent = Agent::new(ScriptedModel::new(script), Toolset::new([inner]).unwrap());
    let mut session = Session::ask("Buy!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let waiting = agent.waiting(&session, &Context::new());
    assert_eq!(waiting.len(), 3);
    session.decide("x", Decision::Reject("no".into())).unwrap();
    assert_eq!(agent.waiting(&session, &Context::new()), []);
    for inside in [CallRef::from(&waiting[1]), CallRef::from(&*waiting[2].path)] {
        let error = session.decide(inside, Decision::Approve).unwrap_err();
        assert_eq!(error, SessionError::Decided("x".into()));
    }
    let inside = session.in_sub_session("x", |sub| sub.decide("c", Decision::Approve));
    assert_eq!(inside, Err(SessionError::Decided("x".into())));
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
}

/// A decision that could not be carried out is none.
#[tokio::test]
async fn a_wrong_edit_can_be_decided_again() {
    let agent = buyer(true);
    let mut session = Session::ask("Buy!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let wrong = Decision::edit(json!({"cents": "all"}));
    session.decide("c", wrong).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap_err();
    session.decide("c", Decision::Approve).unwrap();
    session.decide("d", Decision::Approve).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
}
