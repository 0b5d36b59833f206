//! Runs that are dropped in the midst of their calls, by agents without a store.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, AgentTool, MemoryCheckpointer, ModelResponse, RunEnd, Session, ThreadMessage,
};
use toolwright::call::Decision;
use toolwright::executor::{PendingReason, UnknownOutcome};
use toolwright::layers::{Approval, Retry};
use toolwright::{Context, Executor, ToolCall, ToolError, Toolset, tool, tools};

use crate::kept::{none_and_stores, stores};
use crate::waits::dropped_at;

/// Calls that have begun, each with its key. The first call of `pay`, `look` or `set` hangs.
#[derive(Default)]
struct Bank {
    began: Mutex<Vec<(String, String)>>,
    hangs: Notify,
}

impl Bank {
    async fn begin(&self, cx: &Context) -> &'static str {
        let name = cx.tool().unwrap().to_string();
        let is_first = {
            let mut began = self.began.lock().unwrap();
            began.push((name.clone(), cx.idempotency_key().unwrap()));
            began.iter().filter(|(began, _)| *began == name).count() == 1
        };
        if is_first {
            self.hangs.notify_one();
            std::future::pending::<()>().await;
        }
        "done"
    }

    fn count(&self, name: &str) -> usize {
        let began = self.began.lock().unwrap();
        began.iter().filter(|(began, _)| began == name).count()
    }
}

/// Pays.
#[tool]
async fn pay(#[state] bank: &Bank, #[context] cx: &Context) -> &'static str {
    bank.begin(cx).await
}

/// Looks.
#[tool(read_only)]
async fn look(#[state] bank: &Bank, #[context] cx: &Context) -> &'static str {
    bank.begin(cx).await
}

/// Sets.
#[tool(idempotent)]
async fn set(#[state] bank: &Bank, #[context] cx: &Context) -> &'static str {
    bank.begin(cx).await
}

/// Books, and has an end of its own.
#[tool]
fn book(#[state] bank: &Bank, #[context] cx: &Context) -> Result<&'static str, ToolError> {
    let mut began = bank.began.lock().unwrap();
    began.push(("book".to_owned(), cx.idempotency_key().unwrap()));
    cx.update_state("booked", began.len());
    match began.iter().filter(|(name, _)| name == "book").count() {
        1 => Ok("booked"),
        _ => Err(ToolError::failed("it is booked already")),
    }
}

fn all(bank: &Arc<Bank>) -> Toolset {
    tools![pay, look, set, book; state = Arc::clone(bank)]
}

fn script(names: &[&str]) -> ScriptedModel {
    let calls = names.iter().enumerate();
    let calls = calls.map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}"));
    let calls = Ok(ModelResponse::calls(calls));
    ScriptedModel::new([calls, Ok(ModelResponse::text("Done."))])
}

/// A session whose run was dropped as a call hung, as it is in memory or as it comes back from a text.
async fn dropped(agent: &Agent, bank: &Bank, is_stored: bool) -> Session {
    let mut session = Session::ask("Go!");
    dropped_at(&bank.hangs, agent.run(&mut session, &Context::new())).await;
    if is_stored {
        session = serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap();
    }
    session
}

fn answers(session: &Session) -> Vec<&str> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(&*answer.text),
        _ => None,
    });
    answers.collect()
}

#[tokio::test]
async fn a_call_that_may_have_taken_effect_waits_for_a_person() {
    for is_stored in [false, true] {
        let bank = Arc::new(Bank::default());
        let agent = Agent::new(script(&["pay"]), all(&bank));
        let mut session = dropped(&agent, &bank, is_stored).await;
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
        let pending = &session.pending()[0];
        assert!(
            matches!(pending.reason, PendingReason::OutcomeUnknown(_)),
            "{pending:?}"
        );
        assert_eq!(bank.count("pay"), 1);
        // A yes is another payment.
        session.decide("c0", Decision::Approve).unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.text(), bank.count("pay")), (Some("Done."), 2));
        let began = bank.began.lock().unwrap().clone();
        assert_eq!(began[1].1, format!("{}#1", began[0].1));
    }
}

#[tokio::test]
async fn a_call_that_may_be_made_again_is() {
    for name in ["look", "set"] {
        let bank = Arc::new(Bank::default());
        let agent = Agent::new(script(&[name]), all(&bank));
        let mut session = dropped(&agent, &bank, false).await;
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.text(), bank.count(name)), (Some("Done."), 2));
    }
    let bank = Arc::new(Bank::default());
    let executor = Executor::serial(all(&bank)).on_unknown_outcome(UnknownOutcome::RunAgain);
    let agent = Agent::with_executor(script(&["pay"]), executor);
    let mut session = dropped(&agent, &bank, false).await;
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), bank.count("pay")), (Some("Done."), 2));
}

#[tokio::test]
async fn what_a_call_came_to_beside_is_its_answer() {
    for is_stored in [false, true] {
        let bank = Arc::new(Bank::default());
        let executor = Executor::serial(all(&bank)).layer(Retry::new(3));
        let agent = Agent::with_executor(script(&["book", "look"]), executor);
        let mut session = dropped(&agent, &bank, is_stored).await;
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(answers(&session), ["booked", "done"]);
        assert_eq!(bank.count("book"), 1);
        assert_eq!(session.state().get("booked"), Some(&1.into()));
    }
}

/// Nobody says of a call that may have taken effect that it was rejected.
#[tokio::test]
async fn a_call_that_has_begun_is_not_decided_otherwise() {
    let decisions = [
        Decision::Reject("no".to_owned()),
        Decision::Answer("booked by phone".into()),
    ];
    for store in none_and_stores().await {
        for decision in &decisions {
            for is_stored in [false, true] {
                let bank = Arc::new(Bank::default());
                let mut agent = Agent::new(script(&["book", "pay"]), all(&bank));
                if let Some((store, _kept)) = &store {
                    agent = agent.checkpointer(Arc::clone(store));
                }
                let mut session = dropped(&agent, &bank, is_stored).await;
                for id in ["c0", "c1"] {
                    session.decide(id, decision.clone()).unwrap();
                }
                let run = agent.run(&mut session, &Context::new()).await.unwrap();
                assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
                assert_eq!(answers(&session), ["booked"], "{decision:?}");
                assert_eq!(session.state().get("booked"), Some(&1.into()));
                let pending = session.pending();
                assert!(
                    matches!(pending[0].reason, PendingReason::OutcomeUnknown(_)),
                    "{pending:?}"
                );
                // Whoever knows that nothing is known can decide as he likes.
                session
                    .decide("c1", Decision::Reject("lost".into()))
                    .unwrap();
                let run = agent.run(&mut session, &Context::new()).await.unwrap();
                assert_eq!(run.text(), Some("Done."));
                assert!(answers(&session)[1].contains("lost"));
                assert_eq!((bank.count("book"), bank.count("pay")), (1, 1));
            }
        }
    }
}

/// Orders an item. The first order of each hangs.
#[tool]
async fn order(#[state] bank: &Bank, item: String) -> String {
    let is_first = {
        let mut began = bank.began.lock().unwrap();
        began.push(("order".to_owned(), item.clone()));
        let equal = began.iter().filter(|(_, began)| *began == item);
        equal.count() == 1
    };
    if is_first {
        bank.hangs.notify_one();
        std::future::pending::<()>().await;
    }
    format!("a {item}")
}

/// An edit is not for a call that has begun with other arguments. A call that has not begun runs with it, and keeps it if that run is
/// dropped, too.
#[tokio::test]
async fn an_edit_is_for_a_call_that_has_not_begun() {
    for store in none_and_stores().await {
        for is_stored in [false, true] {
            let bank = Arc::new(Bank::default());
            let calls = [
                ("c0", "book", "{}"),
                ("c1", "order", r#"{"item":"desk"}"#),
                ("c2", "order", r#"{"item":"lamp"}"#),
            ];
            let calls = calls.map(|(id, name, arguments)| ToolCall::new(id, name, arguments));
            let model = ScriptedModel::new([
                Ok(ModelResponse::calls(calls)),
                Ok(ModelResponse::text("Done.")),
            ]);
            let mut agent = Agent::new(model, tools![book, order; state = Arc::clone(&bank)]);
            if let Some((store, _kept)) = &store {
                agent = agent.checkpointer(Arc::clone(store));
            }
            let agent = agent.report_edits();
            let mut session = dropped(&agent, &bank, is_stored).await;
            for (id, arguments) in [
                ("c0", r#"{"day":"friday"}"#),
                ("c1", r#"{"item":"chair"}"#),
                ("c2", r#"{"item":"bulb"}"#),
            ] {
                let edit = Decision::Edit(arguments.into());
                session.decide(id, edit).unwrap();
            }
            let cx = Context::new();
            dropped_at(&bank.hangs, agent.run(&mut session, &cx)).await;
            assert_eq!(answers(&session), ["booked"]);
            let run = agent.run(&mut session, &cx).await.unwrap();
            assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
            let waits = session.pending();
            let waits: Vec<_> = waits
                .iter()
                .map(|wait| {
                    let is_unknown = matches!(wait.reason, PendingReason::OutcomeUnknown(_));
                    (&*wait.call.arguments, is_unknown)
                })
                .collect();
            let both = [(r#"{"item":"desk"}"#, true), (r#"{"item":"bulb"}"#, true)];
            assert_eq!(waits, both);
            session
                .decide("c1", Decision::Reject("lost".into()))
                .unwrap();
            session.decide("c2", Decision::Approve).unwrap();
            let run = agent.run(&mut session, &cx).await.unwrap();
            assert_eq!(run.text(), Some("Done."));
            let answers = answers(&session);
            assert!(
                answers[2].starts_with("a bulb") && answers[2].contains("changed the arguments"),
                "{answers:?}"
            );
            let began = bank.began.lock().unwrap();
            let items: Vec<_> = began.iter().skip(1).map(|(_, item)| &**item).collect();
            assert_eq!(items, ["desk", "bulb", "bulb"]);
        }
    }
}

/// An edit that does not hold is none, whatever is decided then.
#[tokio::test]
async fn an_edit_that_does_not_hold_is_not_reported() {
    for store in none_and_stores().await {
        let bank = Arc::new(Bank::default());
        let calls = [("c0", "desk"), ("c1", "lamp")];
        let calls =
            calls.map(|(id, item)| ToolCall::new(id, "order", format!(r#"{{"item":"{item}"}}"#)));
        let model = ScriptedModel::new([
            Ok(ModelResponse::calls(calls)),
            Ok(ModelResponse::text("Done.")),
        ]);
        bank.began
            .lock()
            .unwrap()
            .push(("order".into(), "lamp".into()));
        let mut agent = Agent::new(model, tools![order; state = Arc::clone(&bank)]);
        if let Some((store, _kept)) = &store {
            agent = agent.checkpointer(Arc::clone(store));
        }
        let agent = agent.report_edits();
        let mut session = dropped(&agent, &bank, false).await;
        let cx = Context::new();
        let edit = Decision::Edit(r#"{"item":5}"#.into());
        session.decide("c1", edit).unwrap();
        let refused = agent.run(&mut session, &cx).await;
        assert!(
            matches!(refused, Err(AgentError::Decision { .. })),
            "{refused:?}"
        );
        session.decide("c1", Decision::Approve).unwrap();
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
        assert_eq!(answers(&session), ["a lamp"]);
        session
            .decide("c0", Decision::Reject("lost".into()))
            .unwrap();
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
    }
}

/// One that does no harm if it is made twice can be ended, also if each run of it hangs.
#[tokio::test]
async fn a_call_that_may_be_made_again_can_be_ended() {
    for store in none_and_stores().await {
        let bank = Arc::new(Bank::default());
        let mut agent = Agent::new(script(&["book", "look"]), all(&bank));
        if let Some((store, _kept)) = &store {
            agent = agent.checkpointer(Arc::clone(store));
        }
        let mut session = dropped(&agent, &bank, false).await;
        session
            .decide("c1", Decision::Answer("seen".into()))
            .unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(answers(&session), ["booked", "seen"]);
    }
}

/// What a call came to counts, also if its tool is not there any more.
#[tokio::test]
async fn a_call_whose_tool_is_gone_has_its_outcome() {
    for store in none_and_stores().await {
        let bank = Arc::new(Bank::default());
        let calls = [("c0", "book"), ("c1", "pay")];
        let calls = calls.map(|(id, name)| ToolCall::new(id, name, "{}"));
        let model = ScriptedModel::new([Ok(ModelResponse::calls(calls))]);
        let before = Agent::new(model, all(&bank));
        let model = ScriptedModel::new([Ok(ModelResponse::text("Done."))]);
        let after = Agent::new(model, tools![look; state = Arc::clone(&bank)]);
        let stored = |agent: Agent| match &store {
            Some((store, _kept)) => agent.checkpointer(Arc::clone(store)),
            None => agent,
        };
        let (before, after) = (stored(before), stored(after));
        let mut session = dropped(&before, &bank, false).await;
        let run = after.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        let answers = answers(&session);
        assert_eq!(answers[0], "booked");
        assert!(answers[1].contains("not known"), "{answers:?}");
        assert_eq!(session.state().get("booked"), Some(&1.into()));
    }
}

#[tokio::test]
async fn an_approved_call_waits_too() {
    let bank = Arc::new(Bank::default());
    let executor = Executor::serial(all(&bank)).layer(Approval::when(|_| true));
    let agent = Agent::with_executor(script(&["pay", "book"]), executor);
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.decide("c0", Decision::Approve).unwrap();
    dropped_at(&bank.hangs, agent.run(&mut session, &Context::new())).await;
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
    // The sibling is decided on its own, and the payment stays in doubt.
    session.decide("c1", Decision::Approve).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((bank.count("pay"), bank.count("book")), (1, 1));
    session
        .decide("c0", Decision::Answer("paid".into()))
        .unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), bank.count("pay")), (Some("Done."), 1));
    assert_eq!(answers(&session), ["paid", "booked"]);
}

#[tokio::test]
async fn so_does_the_call_of_an_agent() {
    let bank = Arc::new(Bank::default());
    let pay = ModelResponse::calls([ToolCall::new("c0", "pay", "{}")]);
    let inner = Agent::new(ScriptedModel::new([Ok(pay)]), all(&bank));
    let inner = AgentTool::new(inner, "worker", "Works.").build().unwrap();
    let ask = ToolCall::new("c0", "worker", r#"{"input": "Pay!"}"#);
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ask])),
        Ok(ModelResponse::text("Done.")),
    ]);
    let agent = Agent::new(model, Toolset::new([inner]).unwrap());
    let mut session = dropped(&agent, &bank, false).await;
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
    assert_eq!(bank.count("pay"), 1);
    session
        .decide("c0", Decision::Answer("paid".into()))
        .unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
}

/// A message that no run has taken is lost with its process, unless a checkpoint was written after it.
#[tokio::test]
async fn a_queued_message_is_stored_with_the_next_checkpoint() {
    let store = MemoryCheckpointer::new();
    let busy = || ModelError::new(ModelErrorKind::Busy, "429");
    let model = ScriptedModel::new([Err(busy())]);
    let agent = Agent::new(model, Toolset::default()).checkpointer(store);
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    session.queue().push("Hurry!");
    agent.run(&mut session, &Context::new()).await.unwrap_err();
    session.queue().push("Too late.");
    let stored = agent.state("s").await.unwrap().unwrap();
    let text = serde_json::to_string(&stored).unwrap();
    assert!(
        text.contains("Hurry!") && !text.contains("Too late."),
        "{text}"
    );
}

/// Transfers, and never ends.
#[tool]
async fn transfer(#[state] bank: &Bank, #[context] cx: &Context) -> &'static str {
    let key = cx.idempotency_key().unwrap();
    bank.began
        .lock()
        .unwrap()
        .push(("transfer".to_owned(), key));
    bank.hangs.notify_one();
    std::future::pending().await
}

/// Neither the approval nor the record of the call that the branch leaves behind is one of the branch's own call.
#[tokio::test]
async fn an_approval_on_a_branch_is_for_one_run() {
    for (store, _dir) in stores().await {
        let bank = Arc::new(Bank::default());
        let tools = tools![transfer; state = Arc::clone(&bank)];
        let agent = Agent::new(script(&["transfer"]), tools).checkpointer(store);
        let cx = Context::new();
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        dropped_at(&bank.hangs, agent.run(&mut session, &cx)).await;
        let (_, run) = agent.resume("s", &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending), "{run:?}");

        let newest = agent.history("s").await.unwrap().last().unwrap().id;
        let mut branch = agent.branch(newest).await.unwrap();
        branch.decide("c0", Decision::Approve).unwrap();
        dropped_at(&bank.hangs, agent.run(&mut branch, &cx)).await;
        assert_eq!(bank.count("transfer"), 2);

        let resumed = tokio::time::timeout(Duration::from_secs(20), agent.resume("s", &cx)).await;
        let (mut session, run) = resumed.unwrap().unwrap();
        assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
        let pending = &session.pending()[0];
        assert!(
            matches!(pending.reason, PendingReason::OutcomeUnknown(_)),
            "{pending:?}"
        );
        assert_eq!(bank.count("transfer"), 2);
        session.decide("c0", Decision::Reject("no".into())).unwrap();
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert_eq!((run.text(), bank.count("transfer")), (Some("Done."), 2));
    }
}
