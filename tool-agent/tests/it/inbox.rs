//! Messages that other machines leave for a session, in its store.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::store::CheckpointError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, Hooks, ModelResponse, Run, RunEnd, Session, ThreadMessage,
};
use toolwright::call::Decision;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, Toolset, tool, tools};

use crate::kept::{Store, stores};

/// Opened by a test while a tool runs.
#[derive(Default)]
struct Gate {
    is_running: Notify,
    opens: Notify,
}

/// Waits.
#[tool]
async fn wait(#[state] gate: &Gate) -> &'static str {
    gate.is_running.notify_one();
    gate.opens.notified().await;
    "waited"
}

/// What the user said, in order.
fn said(session: &Session) -> Vec<&str> {
    let messages = session.thread().messages().iter();
    let said = messages.filter_map(|message| match message {
        ThreadMessage::User { text } => Some(&**text),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn a_run_takes_messages_that_another_machine_sends() {
    for (store, _kept) in stores().await {
        let gate = Arc::new(Gate::default());
        let model = ScriptedModel::new([
            Ok(ModelResponse::calls([ToolCall::new("a", "wait", "{}")])),
            Ok(ModelResponse::text("First.")),
            Ok(ModelResponse::text("Second.")),
        ]);
        let agent = Agent::new(model.clone(), tools![wait; state = Arc::clone(&gate)]);
        let agent = agent.checkpointer(Arc::clone(&store));
        let elsewhere = Agent::new(ScriptedModel::new([]), Toolset::default()).checkpointer(store);
        let run = tokio::spawn(async move {
            let mut session = Session::with_id("ann");
            session.say("Go!").unwrap();
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            (agent, session, run)
        });
        gate.is_running.notified().await;
        elsewhere.send("ann", "Hurry!").await.unwrap();
        elsewhere.send("ann", "Please!").await.unwrap();
        gate.opens.notify_one();
        let (agent, session, run) = run.await.unwrap();
        assert_eq!(run.text(), Some("Second."));
        assert_eq!(said(&session), ["Go!", "Hurry!", "Please!"]);
        // The model reads the first one after the turn in which it came.
        assert_eq!(model.requests()[1].thread.last_input(), Some("Hurry!"));
        // Each is taken once.
        let (session, _) = agent.resume("ann", &Context::new()).await.unwrap();
        assert_eq!(said(&session), ["Go!", "Hurry!", "Please!"]);
    }
}

#[tokio::test]
async fn the_next_run_takes_what_came_between_runs() {
    for (store, _kept) in stores().await {
        let model = ScriptedModel::new(
            ["Hello.", "One.", "Two."].map(|text| Ok(ModelResponse::text(text))),
        );
        let agent = Agent::new(model, Toolset::default()).checkpointer(Arc::clone(&store));
        let error = agent.send("ann", "Too early").await.unwrap_err();
        assert!(
            matches!(
                &error,
                AgentError::Checkpoint(CheckpointError::NoCheckpoint(_))
            ),
            "{error:?}"
        );
        let mut session = Session::with_id("ann");
        session.say("Hi!").unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        for words in ["1", "2"] {
            agent.send("ann", words).await.unwrap();
        }
        // A run that was dropped has taken nothing.
        drop(agent.resume("ann", &Context::new()));
        let (session, run) = agent.resume("ann", &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Two."));
        assert_eq!(said(&session), ["Hi!", "1", "2"]);
    }
}

/// A message that comes after the run's last look, before its end is stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_waits_for_a_run_that_is_about_to_end() {
    for (store, _kept) in stores().await {
        let model =
            ScriptedModel::new(["Hello.", "Late."].map(|text| Ok(ModelResponse::text(text))));
        let (_, session, run) = sent_at_the_end(model, store).await;
        assert_eq!((run.text(), run.turns), (Some("Late."), 2));
        assert_eq!(said(&session), ["Hi!", "Wait!"]);
    }
}

/// Runs an agent to which a message is sent at the end of its first run.
async fn sent_at_the_end(model: ScriptedModel, store: Store) -> (Agent, Session, Run) {
    let sender = Agent::new(ScriptedModel::new([]), Toolset::default());
    let sender = sender.checkpointer(Arc::clone(&store));
    let agent = Agent::new(model, Toolset::default()).checkpointer(store);
    let agent = agent.hooks(SendsAtTheEnd {
        sender,
        is_sent: AtomicBool::new(false),
    });
    let mut session = Session::with_id("ann");
    session.say("Hi!").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    (agent, session, run)
}

/// Sends a message at the end of the first run.
struct SendsAtTheEnd {
    sender: Agent,
    is_sent: AtomicBool,
}

impl Hooks for SendsAtTheEnd {
    fn after_run(&self, _: &mut Session, _: &Run) {
        if !self.is_sent.swap(true, Ordering::Relaxed) {
            // The store's connections go on meanwhile.
            tokio::task::block_in_place(|| {
                let runtime = tokio::runtime::Handle::current();
                runtime.block_on(self.sender.send("ann", "Wait!")).unwrap();
            });
        }
    }
}

#[tokio::test]
async fn a_branch_does_not_take_again_what_was_taken() {
    for (store, _kept) in stores().await {
        let model = ScriptedModel::new(
            ["Hello.", "Noon.", "Other."].map(|text| Ok(ModelResponse::text(text))),
        );
        let agent = Agent::new(model, Toolset::default()).checkpointer(store);
        let mut session = Session::with_id("ann");
        session.say("Hi!").unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let before = session.checkpoint().unwrap();
        agent.send("ann", "What time is it?").await.unwrap();
        let _ = agent.resume("ann", &Context::new()).await.unwrap();
        agent.branch(before).await.unwrap();
        agent.send("ann", "And now?").await.unwrap();
        let (session, run) = agent.resume("ann", &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Other."));
        assert_eq!(said(&session), ["Hi!", "And now?"]);
    }
}

/// A message is taken when the model reads it. So the branch has what another history had not read.
#[tokio::test]
async fn a_branch_has_the_messages_that_were_not_read() {
    for (store, _kept) in stores().await {
        let calls = ["a", "b"].map(|id| ToolCall::new(id, "pay", "{}"));
        let model = ScriptedModel::new([
            Ok(ModelResponse::calls(calls)),
            Ok(ModelResponse::text("Paid.")),
        ]);
        let executor = Executor::serial(tools![pay]).layer(Approval::default());
        let agent = Agent::with_executor(model, executor).checkpointer(store);
        let cx = Context::new();
        let mut session = Session::with_id("ann");
        session.say("Pay both!").unwrap();
        let _ = agent.run(&mut session, &cx).await.unwrap();
        let before = session.checkpoint().unwrap();
        agent.send("ann", "Hurry!").await.unwrap();
        session.decide("a", Decision::Approve).unwrap();
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
        let mut branch = agent.branch(before).await.unwrap();
        for id in ["a", "b"] {
            branch.decide(id, Decision::Approve).unwrap();
        }
        let run = agent.run(&mut branch, &cx).await.unwrap();
        assert_eq!(run.text(), Some("Paid."));
        assert_eq!(said(&branch), ["Pay both!", "Hurry!"]);
    }
}

/// A run that answers late mail fails. The run before it has its result all the same, and the message waits for the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_behind_a_run_does_not_hide_its_result() {
    for (store, _kept) in stores().await {
        let model = ScriptedModel::new([
            Ok(ModelResponse::text("Hello.")),
            Err(ModelError::new(ModelErrorKind::Busy, "busy")),
            Ok(ModelResponse::text("Late.")),
        ]);
        let (agent, _, run) = sent_at_the_end(model, store).await;
        assert_eq!((run.text(), run.turns), (Some("Hello."), 1));
        let (session, run) = agent.resume("ann", &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Late."));
        assert_eq!(said(&session), ["Hi!", "Wait!"]);
    }
}

/// Pays.
#[tool(destructive)]
fn pay() -> &'static str {
    "paid"
}
