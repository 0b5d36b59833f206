//! What people say to calls that wait: approve, edit, reject, answer, in any order and partially.
// Steps of a script are results, and a test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::agent::model::ModelError;
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentError, ModelResponse, RunEnd, Session, Status, ThreadMessage};
use toolwright::executor::PendingReason;
use toolwright::layers::{Approval, Risk};
use toolwright::{Context, Executor, Provide, ToolCall, Toolset, call::Decision, tool, tools};

use crate::kept::stores;

/// What ran, with what.
#[derive(Clone, Default, Provide)]
struct Ledger {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Ledger {
    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

/// Pays.
#[tool(destructive, meta(risk = "high"))]
fn pay(to: &str, #[arg(range(1..=500))] cents: u64, #[state] ledger: &Ledger) -> String {
    let line = format!("{cents} to {to}");
    ledger.lines.lock().unwrap().push(line.clone());
    line
}

/// Pledges money. It destroys nothing, so its arguments are repaired.
#[tool(meta(risk = "high"))]
fn pledge(cents: u64, #[state] ledger: &Ledger) -> u64 {
    let mut lines = ledger.lines.lock().unwrap();
    lines.push(format!("pledged {cents}"));
    cents
}

/// Charges a card.
#[tool(manual)]
fn charge(cents: u64, #[state] ledger: &Ledger) -> u64 {
    ledger
        .lines
        .lock()
        .unwrap()
        .push(format!("charged {cents}"));
    cents
}

/// Looks.
#[tool(read_only)]
fn look(#[state] ledger: &Ledger) -> u8 {
    ledger.lines.lock().unwrap().push("looked".into());
    1
}

fn all(ledger: &Ledger) -> Toolset {
    tools![pay, charge, look; state = ledger.clone()]
}

fn pay_call(id: &str, to: &str, cents: u64) -> ToolCall {
    ToolCall::new(id, "pay", json!({"to": to, "cents": cents}).to_string())
}

/// An agent whose model makes these calls, and the session that waits for decisions about them.
async fn paused(tools: Toolset, calls: &[ToolCall]) -> (Agent, Session) {
    paused_of(tools, calls, Some(Ok(ModelResponse::text("Done.")))).await
}

/// The same, with what the model says next.
async fn paused_of(
    tools: Toolset,
    calls: &[ToolCall],
    next: Option<Result<ModelResponse, ModelError>>,
) -> (Agent, Session) {
    let first = Ok(ModelResponse::calls(calls.iter().cloned()));
    let script = std::iter::once(first).chain(next);
    let executor = Executor::parallel(tools, 4).layer(Approval::at_least(Risk::High));
    let agent = Agent::with_executor(ScriptedModel::new(script), executor);
    let mut session = Session::ask("Pay!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    // Whoever decides may sit elsewhere.
    let stored = serde_json::to_string(&session).unwrap();
    (agent, serde_json::from_str(&stored).unwrap())
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

#[tokio::test]
async fn each_call_is_decided_by_itself() {
    let ledger = Ledger::default();
    let calls = [
        pay_call("a", "Ada", 100),
        pay_call("b", "Bob", 200),
        ToolCall::new("c", "look", "{}"),
        pay_call("d", "Cy", 300),
        ToolCall::new("e", "charge", r#"{"cents": 5}"#),
    ];
    let (agent, mut session) = paused(all(&ledger), &calls).await;
    assert_eq!(ledger.lines(), ["looked"]);
    let pending = session.pending();
    let places: Vec<_> = pending.iter().map(|pending| pending.index).collect();
    assert_eq!(places, [0, 1, 3, 4]);
    assert!(
        matches!(&pending[0].reason, PendingReason::Decision(shown) if shown["risk"] == "high")
    );

    // Some of them, in another order.
    session.decide("d", Decision::Approve).unwrap();
    session
        .decide("a", Decision::Reject("too late".into()))
        .unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    assert_eq!(session.status(), Status::AwaitingTools);
    assert_eq!(ledger.lines(), ["looked", "300 to Cy"]);

    let edit = Decision::edit(json!({"to": "Bob", "cents": 20}));
    let rest = [
        (CallRef::Index(4), Decision::Approve),
        (CallRef::from("b"), edit),
    ];
    session.decide_all(rest).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    let mut ran = ledger.lines();
    ran[2..].sort();
    assert_eq!(ran, ["looked", "300 to Cy", "20 to Bob", "charged 5"]);
    assert_eq!(
        answers(&session),
        [
            "the call was rejected: too late",
            "20 to Bob",
            "1",
            "300 to Cy",
            "5"
        ]
    );
    assert!(session.thread().check().is_ok());
}

#[tokio::test]
async fn edited_arguments_are_read_and_validated_and_a_failure_keeps_the_pause() {
    let ledger = Ledger::default();
    let calls = [pay_call("a", "Ada", 100), pay_call("b", "Bob", 200)];
    let (agent, mut session) = paused(all(&ledger), &calls).await;
    session.decide("a", Decision::Approve).unwrap();
    let edit = Decision::edit(json!({"to": "Bob", "cents": 501}));
    session.decide("b", edit).unwrap();
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    let AgentError::Decision { path, error } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(path[..], [1]);
    assert_eq!(
        error.to_string(),
        "cents: expected an integer from 1 to 500, got 501"
    );
    // Nothing ran, and both wait.
    assert!(ledger.lines().is_empty());
    assert_eq!(
        (session.status(), session.pending().len()),
        (Status::AwaitingTools, 2)
    );

    session
        .decide("b", Decision::Answer(json!("paid in cash")))
        .unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), ["100 to Ada", "paid in cash"]);
}

#[tokio::test]
async fn an_approval_holds_for_the_tool_that_was_shown() {
    /// Pays.
    #[tool(meta(risk = "high"), name = "pay")]
    fn pay_twice(to: &str, cents: u64, twice: Option<bool>, #[state] ledger: &Ledger) -> u64 {
        ledger.lines.lock().unwrap().push(format!("{to} {twice:?}"));
        cents
    }

    let ledger = Ledger::default();
    let (_, mut session) = paused_of(all(&ledger), &[pay_call("a", "Ada", 100)], None).await;
    session.decide("a", Decision::Approve).unwrap();
    let changed = tools![pay_twice; state = ledger.clone()];
    let executor = Executor::serial(changed).layer(Approval::at_least(Risk::High));
    let agent = Agent::with_executor(ScriptedModel::new([]), executor);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    assert!(ledger.lines().is_empty());
    assert_eq!(session.pending().len(), 1);
}

/// A session as it is stored, changed.
fn changed(session: &Session, change: impl FnOnce(&mut Value)) -> Session {
    let mut stored = serde_json::to_value(session).unwrap();
    change(&mut stored);
    serde_json::from_value(stored).unwrap()
}

/// What was shown is kept apart from what the model wrote, under a digest of the tool and the arguments.
#[tokio::test]
async fn an_approval_does_not_hold_for_a_call_that_was_changed_in_the_store() {
    let other = json!({"to": "Eve", "cents": 500}).to_string();
    let ledger = Ledger::default();
    let calls = [pay_call("a", "Ada", 100), ToolCall::new("b", "look", "{}")];
    let shown = |stored: &Value| {
        let call = &stored["waits"][0]["call"];
        (
            call["name"].clone(),
            call["arguments"].clone(),
            stored["waits"][0]["digest"].clone(),
        )
    };
    // Before somebody has approved it, and after.
    for approved in [false, true] {
        let changes: [fn(&mut Value, &str); 3] = [
            |wait, other| wait["call"]["arguments"] = other.into(),
            |wait, _| wait["call"]["name"] = "charge".into(),
            |wait, _| wait["digest"] = "0".repeat(64).into(),
        ];
        for change in changes {
            let (agent, mut session) = paused_of(all(&ledger), &calls, None).await;
            if approved {
                session.decide("a", Decision::Approve).unwrap();
            }
            let before = shown(&serde_json::to_value(&session).unwrap());
            let mut session = changed(&session, |stored| {
                change(&mut stored["waits"][0], &other);
                assert_ne!(shown(stored), before);
            });
            if !approved {
                session.decide("a", Decision::Approve).unwrap();
            }
            let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
            let AgentError::Decision { path, error } = &error else {
                panic!("{error:?}");
            };
            assert_eq!(path[..], [0]);
            assert!(error.to_string().contains("has changed since"), "{error}");
            // Nothing ran; the call waits, for another word than that.
            assert_eq!(ledger.lines(), ["looked"]);
            assert_eq!(
                (session.status(), session.pending().len()),
                (Status::AwaitingTools, 1)
            );
            ledger.lines.lock().unwrap().clear();
        }
    }

    // What the thread says since is another matter: what was shown runs.
    let (agent, mut session) = paused(all(&ledger), &calls).await;
    session.decide("a", Decision::Approve).unwrap();
    let mut session = changed(&session, |stored| {
        let call = &mut stored["thread"][1]["calls"][0];
        assert_ne!(call["arguments"], Value::Null);
        call["arguments"] = other.as_str().into();
    });
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(ledger.lines(), ["looked", "100 to Ada"]);
}

#[tokio::test]
async fn what_was_repaired_is_what_is_shown_and_runs() {
    let ledger = Ledger::default();
    let call = ToolCall::new("a", "pledge", r#"{"cents": "100"}"#);
    let tools = tools![pledge; state = ledger.clone()];
    let (agent, mut session) = paused(tools, &[call]).await;
    assert_eq!(&*session.pending()[0].call.arguments, r#"{"cents": 100}"#);
    session.decide("a", Decision::Approve).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(ledger.lines(), ["pledged 100"]);
}

#[tokio::test]
async fn equal_ids_are_told_apart_by_place() {
    let ledger = Ledger::default();
    let calls = [pay_call("a", "Ada", 1), pay_call("a", "Bob", 2)];
    let (agent, mut session) = paused(all(&ledger), &calls).await;
    let error = session.decide("a", Decision::Approve).unwrap_err();
    assert_eq!(error, SessionError::AmbiguousCall("a".into()));
    session.decide(1, Decision::Approve).unwrap();
    session.submit(0, "by hand").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(answers(&session), ["by hand", "2 to Bob"]);
    assert_eq!(ledger.lines(), ["2 to Bob"]);
}

#[tokio::test]
async fn a_batch_of_decisions_is_taken_whole_or_not_at_all() {
    let ledger = Ledger::default();
    let (_, mut session) = paused_of(all(&ledger), &[pay_call("a", "Ada", 1)], None).await;
    let before = serde_json::to_string(&session).unwrap();
    let decisions = [
        (CallRef::from("a"), Decision::Approve),
        (CallRef::from("b"), Decision::Approve),
    ];
    assert_eq!(
        session.decide_all(decisions),
        Err(SessionError::UnknownCall("b".into()))
    );
    let results = [
        (CallRef::from("a"), Ok(toolwright::Outcome::value(1))),
        (CallRef::from("a"), Ok(toolwright::Outcome::value(2))),
    ];
    assert_eq!(
        session.submit_all(results),
        Err(SessionError::UnknownCall("a".into()))
    );
    assert_eq!(serde_json::to_string(&session).unwrap(), before);
    session.submit_all([]).unwrap();
    assert_eq!(serde_json::to_string(&session).unwrap(), before);
}

#[tokio::test]
async fn the_model_is_told_of_an_edit_where_the_host_wants_it_and_the_journal_keeps_both() {
    for tells in [false, true] {
        for (store, _kept) in stores().await {
            let ledger = Ledger::default();
            let (agent, mut session) = paused(all(&ledger), &[pay_call("c1", "Ann", 500)]).await;
            let agent = agent.checkpointer(store.clone());
            let agent = if tells { agent.report_edits() } else { agent };
            let edit = Decision::edit(json!({"to": "Bob", "cents": 20}));
            session.decide("c1", edit).unwrap();
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(ledger.lines(), ["20 to Bob"]);
            let messages = session.thread().messages().iter();
            let mut answers = messages.filter_map(|message| match message {
                ThreadMessage::Tool(answer) => Some(answer.text.as_str()),
                _ => None,
            });
            let expected = if tells {
                "20 to Bob\n\nA person changed the arguments of this call. It ran with: \
             {\"cents\":20,\"to\":\"Bob\"}"
            } else {
                "20 to Bob"
            };
            let answer = answers.next().unwrap();
            let said: (&str, Option<Value>) = match answer.split_once("It ran with: ") {
                Some((words, json)) => (words, serde_json::from_str(json).ok()),
                None => (answer, None),
            };
            let wanted: (&str, Option<Value>) = match expected.split_once("It ran with: ") {
                Some((words, json)) => (words, serde_json::from_str(json).ok()),
                None => (expected, None),
            };
            assert_eq!(said, wanted);

            let records = store.calls(session.id()).await.unwrap();
            let [record] = records.as_slice() else {
                panic!("{records:?}")
            };
            let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(
                json(&record.call.arguments),
                json!({"to": "Bob", "cents": 20})
            );
            let written = record.model_arguments.as_deref().unwrap();
            assert_eq!(json(written), json!({"to": "Ann", "cents": 500}));
        }
    }
}

/// The text of a stored session may come from anywhere. Numbers that a `Value` does not hold would run another call.
#[tokio::test]
async fn a_stored_edit_is_read_with_all_of_its_digits() {
    for (cents, words) in [
        ("77.00000000000000000001", "cents: "),
        (r#"78,"cents":77"#, "cents: given more than once"),
    ] {
        let ledger = Ledger::default();
        let call = ToolCall::new("a", "pay", r#"{"to":"Ada","cents":7}"#);
        let model = ScriptedModel::new([
            Ok(ModelResponse::calls([call])),
            Ok(ModelResponse::text("Done.")),
        ]);
        let executor = Executor::serial(all(&ledger)).layer(Approval::default());
        let agent = Agent::with_executor(model, executor);
        let mut session = Session::ask("Pay!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let edit = json!({"to": "Ada", "cents": 77});
        session.decide("a", Decision::edit(edit)).unwrap();
        let stored = serde_json::to_string(&session).unwrap();
        let altered = stored.replace(r#""cents":77"#, &format!(r#""cents":{cents}"#));
        assert_ne!(altered, stored);
        let mut wrong: Session = serde_json::from_str(&altered).unwrap();
        let error = agent.run(&mut wrong, &Context::new()).await.unwrap_err();
        assert!(matches!(error, AgentError::Decision { .. }), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
        let mut right: Session = serde_json::from_str(&stored).unwrap();
        let run = agent.run(&mut right, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
    }
}
