//! Tools that keep a record of their calls: a call whose end is not recorded is made again, and what it came to is recorded.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::agent::store::{Keep, made_before};
use toolwright::agent::{Agent, RunEnd};
use toolwright::call::{Answer, Call, Decision};
use toolwright::executor::PendingReason;
use toolwright::layers::Retry;
use toolwright::{
    Context, Executor, Outcome, Tool, ToolDef, ToolError, Toolset, executor::UnknownOutcome,
};

use crate::checkpoints::{asked, call, calls, model, text};
use crate::kept::{Store, stores};
use crate::waits::dropped_at;

/// Pause before another attempt.
const BRIEF: Duration = Duration::from_millis(1);

/// A tool whose work is done elsewhere. Its first call does not end here.
struct Far {
    def: ToolDef,
    /// What each call heard of an earlier one.
    before: Mutex<Vec<Option<Duration>>>,
    hangs: Notify,
    /// What the other calls come to, by their number from 1.
    outcome: fn(usize) -> Result<&'static str, ToolError>,
}

impl Far {
    fn new(outcome: fn(usize) -> Result<&'static str, ToolError>) -> Arc<Self> {
        Arc::new(Self {
            def: ToolDef::new("far", "Works elsewhere."),
            before: Mutex::default(),
            hangs: Notify::new(),
            outcome,
        })
    }

    fn calls(&self) -> Vec<Option<Duration>> {
        self.before.lock().unwrap().clone()
    }
}

impl Tool for Far {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let mut before = self.before.lock().unwrap();
        before.push(made_before(&call.context()));
        let number = before.len() - 1;
        Answer::later(async move {
            if number == 0 {
                self.hangs.notify_one();
                pending::<()>().await;
            }
            (self.outcome)(number).map(Outcome::value)
        })
    }

    fn validate(&self, _: Call<'_>) -> Result<(), ToolError> {
        Ok(())
    }

    fn resumes(&self) -> bool {
        true
    }
}

/// Another tool that does not end, to end the program in.
fn stuck(hangs: &Arc<Notify>) -> Arc<dyn Tool> {
    let hangs = Arc::clone(hangs);
    toolwright::DynTool::builder()
        .name("stuck")
        .description("Does not end.")
        .handler(move |_: serde_json::Value, _| {
            let hangs = Arc::clone(&hangs);
            async move {
                hangs.notify_one();
                pending::<Result<(), ToolError>>().await
            }
        })
        .build()
        .unwrap()
}

fn tools(far: &Arc<Far>) -> Toolset {
    Toolset::new([Arc::clone(far) as Arc<dyn Tool>]).unwrap()
}

/// Ends the program in the first call of the far tool.
async fn ended_in_the_call(store: &Store, far: &Arc<Far>) {
    let agent = Agent::new(model([calls(&[call("c1", "far")])]), tools(far));
    let agent = agent.checkpointer(Arc::clone(store));
    dropped_at(&far.hangs, agent.run(&mut asked("s"), &Context::new())).await;
}

fn rest(store: &Store, far: &Arc<Far>) -> Agent {
    let agent = Agent::new(model([text("Done.")]), tools(far)).checkpointer(Arc::clone(store));
    agent.on_unknown_outcome(UnknownOutcome::Ask)
}

#[tokio::test]
async fn a_call_without_an_end_is_made_again() {
    for (store, _kept) in stores().await {
        let far = Far::new(|_| Ok("done"));
        ended_in_the_call(&store, &far).await;
        let agent = rest(&store, &far);
        let (_, run) = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        let heard = far.calls();
        assert_eq!((heard.len(), heard[0]), (2, None));
        assert!(heard[1].unwrap() < Duration::from_mins(10), "{heard:?}");
        // Its record is that of the first call, with its end.
        let records = store.calls("s").await.unwrap();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].revision, 2);
        assert!(records[0].outcome.as_ref().unwrap().contains("done"));
    }
}

#[tokio::test]
async fn nobody_knows_when_a_call_was_made_whose_checkpoint_is_gone() {
    for (store, _kept) in stores().await {
        let far = Far::new(|_| Ok("done"));
        ended_in_the_call(&store, &far).await;
        let agent = rest(&store, &far);
        agent.update_state("s", |_| Ok(())).await.unwrap();
        let keep = Keep {
            newest: 1,
            since_ms: u64::MAX,
        };
        assert!(store.prune("s", keep).await.unwrap() > 0);
        let _ = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(far.calls(), [None, Some(Duration::MAX)]);
    }
}

#[tokio::test]
async fn an_attempt_of_this_run_is_no_earlier_one() {
    for (store, _kept) in stores().await {
        let far = Far::new(|number| match number {
            1 => Err(ToolError::failed("busy")),
            _ => Ok("done"),
        });
        ended_in_the_call(&store, &far).await;
        let retry = Retry::new(2).always_for(["far"]);
        let executor = Executor::serial(tools(&far)).layer(retry.backoff(BRIEF, BRIEF));
        let agent = Agent::with_executor(model([text("Done.")]), executor);
        let agent = agent.checkpointer(Arc::clone(&store));
        let _ = agent.resume("s", &Context::new()).await.unwrap();
        let heard = far.calls();
        assert_eq!((heard.len(), heard[2]), (3, None));
        assert!(heard[1].is_some());
    }
}

#[tokio::test]
async fn a_call_that_has_ended_is_not_made_again() {
    for (store, _kept) in stores().await {
        let (far, hangs) = (Far::new(|_| Ok("done")), Arc::new(Notify::new()));
        ended_in_the_call(&store, &far).await;
        let tools = tools(&far).with(stuck(&hangs));
        let agent = Agent::new(model([text("Done.")]), tools.clone());
        let turn = [call("c1", "far"), call("c2", "stuck")];
        let first = Agent::new(model([calls(&turn)]), tools).checkpointer(Arc::clone(&store));
        let agent = agent.checkpointer(Arc::clone(&store));
        // The far call has ended, and the turn has not.
        dropped_at(&hangs, first.run(&mut asked("t"), &Context::new())).await;
        assert_eq!(far.calls().len(), 2);
        let agent = agent.on_unknown_outcome(UnknownOutcome::Fail);
        let (_, run) = agent.resume("t", &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(far.calls().len(), 2);
    }
}

#[tokio::test]
async fn a_person_decides_about_a_call_that_the_tool_does_not_know() {
    for (store, _kept) in stores().await {
        let far = Far::new(|_| Err(ToolError::failed("forgotten").with_outcome_unknown()));
        ended_in_the_call(&store, &far).await;
        let agent = rest(&store, &far);
        let (mut session, run) = agent.resume("s", &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
        let reason = session.pending()[0].reason.clone();
        assert_eq!(
            reason,
            PendingReason::OutcomeUnknown("forgotten".to_owned())
        );
        let stored = serde_json::to_value(&session).unwrap();
        assert_eq!(stored["waits"][0]["record"], 2);
        assert_eq!(far.calls().len(), 2);
        // Approved, it is another call, which nobody has made before.
        session.decide("c1", Decision::Approve).unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
        let heard = far.calls();
        assert_eq!((heard.len(), heard[2]), (3, None));
        session.submit("c1", "it was done").unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
    }
}
