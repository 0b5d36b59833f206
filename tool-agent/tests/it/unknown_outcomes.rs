//! Calls of which the tool itself says that nobody knows whether they took effect.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, RunEnd, Session, ThreadMessage};
use toolwright::call::Decision;
use toolwright::executor::PendingReason;
use toolwright::executor::UnknownOutcome;
use toolwright::{Context, ToolCall, ToolError, tool, tools};

use crate::kept::none_and_stores;

/// Keys of the payments that a bank has got, and whether it confirms the next ones.
#[derive(Default)]
struct Bank {
    keys: Mutex<Vec<String>>,
    confirms: Mutex<Vec<bool>>,
}

impl Bank {
    fn new(mut confirms: Vec<bool>) -> Arc<Self> {
        confirms.reverse();
        Arc::new(Self {
            confirms: Mutex::new(confirms),
            ..Self::default()
        })
    }

    fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }
}

/// Pays.
#[tool]
fn pay(#[state] bank: &Bank, #[context] cx: &Context) -> Result<&'static str, ToolError> {
    bank.keys
        .lock()
        .unwrap()
        .push(cx.idempotency_key().unwrap());
    match bank.confirms.lock().unwrap().pop() {
        Some(true) => Ok("paid"),
        _ => Err(ToolError::failed("the bank said nothing").with_outcome_unknown()),
    }
}

fn agent(bank: &Arc<Bank>) -> Agent {
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new("c", "pay", "{}")])),
        Ok(ModelResponse::text("Done.")),
    ]);
    Agent::new(model, tools![pay; state = Arc::clone(bank)])
}

fn told(session: &Session) -> Vec<(String, bool)> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((answer.text.clone(), answer.is_error)),
        _ => None,
    });
    answers.collect()
}

fn asked() -> Session {
    let mut session = Session::with_id("s");
    session.say("Pay!").unwrap();
    session
}

/// Why a call waits, and the revision of its record that an approval is bound to.
fn reason(session: &Session) -> (PendingReason, Option<u64>) {
    let stored = serde_json::to_value(session).unwrap();
    (
        session.pending()[0].reason.clone(),
        stored["waits"][0]["record"].as_u64(),
    )
}

#[tokio::test]
async fn it_waits_for_a_person_and_runs_again_with_a_new_key() {
    for store in none_and_stores().await {
        let bank = Bank::new(vec![false, false, true]);
        let mut agent = agent(&bank);
        if let Some((store, _)) = &store {
            agent = agent.checkpointer(Arc::clone(store));
        }
        let mut session = asked();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
        let key = bank.keys()[0].clone();
        for attempt in 0..2 {
            // The record is written twice an attempt.
            let record = store.is_some().then_some(2 * attempt + 2);
            let unknown = PendingReason::OutcomeUnknown("the bank said nothing".to_owned());
            assert_eq!(reason(&session), (unknown, record));
            // It can wait for long, elsewhere.
            let stored = serde_json::to_string(&session).unwrap();
            session = serde_json::from_str(&stored).unwrap();
            session.decide("c", Decision::Approve).unwrap();
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        }
        assert_eq!(told(&session), [("paid".to_owned(), false)]);
        assert_eq!(
            bank.keys(),
            [key.clone(), format!("{key}#1"), format!("{key}#2")]
        );
        if let Some((store, _)) = &store {
            // One record, under the first key.
            let records = store.calls("s").await.unwrap();
            assert_eq!(
                records.iter().map(|record| &record.key).collect::<Vec<_>>(),
                [&key]
            );
        }
    }
}

#[tokio::test]
async fn who_knows_what_became_of_it_says_so() {
    for (decision, expected) in [
        (Decision::Answer("it is paid".into()), ("it is paid", false)),
        (
            Decision::Reject("leave it".into()),
            ("the call was rejected: leave it", true),
        ),
    ] {
        for store in none_and_stores().await {
            let decision = decision.clone();
            let bank = Bank::new(vec![]);
            let mut agent = agent(&bank);
            if let Some((store, _)) = &store {
                agent = agent.checkpointer(Arc::clone(store));
            }
            let mut session = asked();
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
            session.decide("c", decision).unwrap();
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.text(), Some("Done."));
            assert_eq!(told(&session), [(expected.0.to_owned(), expected.1)]);
            assert_eq!(bank.keys().len(), 1);
        }
    }
}

#[tokio::test]
async fn it_goes_by_policy() {
    for (policy, confirms, expected) in [
        (
            UnknownOutcome::Fail,
            vec![],
            ("the bank said nothing", true),
        ),
        (UnknownOutcome::RunAgain, vec![false, true], ("paid", false)),
        (
            UnknownOutcome::RunAgain,
            vec![],
            ("the bank said nothing", true),
        ),
    ] {
        for store in none_and_stores().await {
            let bank = Bank::new(confirms.clone());
            let mut agent = agent(&bank).on_unknown_outcome(policy);
            if let Some((store, _)) = &store {
                agent = agent.checkpointer(Arc::clone(store));
            }
            let mut session = asked();
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.text(), Some("Done."), "{policy:?}");
            assert_eq!(
                told(&session),
                [(expected.0.to_owned(), expected.1)],
                "{policy:?}"
            );
        }
    }
}
