//! What hosts see of their workers: health, and measurements.

use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, MemoryCheckpointer, ModelResponse};
use toolwright::call::Progress;
use toolwright::{Context, Executor, ToolCall, tool, tools};
use toolwright_fleet::{Fleet, FleetError, Health, RunningCall, WorkerStatus};

use crate::support::{Obedient, agent, fleet, running, start, unique, until};

static MAY_END: Semaphore = Semaphore::const_new(0);

/// Works until it may end.
#[tool(timeout = "60s")]
async fn hold() {
    MAY_END.acquire().await.unwrap().forget();
}

async fn polls(health: &Health, count: usize) {
    for _ in 0..100 {
        let polled = health.polled().await.unwrap();
        if polled.len() == count && polled.values().all(|is_polled| *is_polled) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{:?}", health.polled().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_says_whether_it_serves_and_how_much_it_does() {
    let (fleet, queue, name) = (fleet().await, unique("health"), unique("agent"));
    let far = fleet.toolset(&queue, &tools![hold]).unwrap();
    let worker = fleet.worker().tools(&queue, tools![hold]);
    let worker = worker.agent(&name, agent(&far));
    let health = worker.health();
    assert_eq!(health.status(), WorkerStatus::New);
    assert!(health.polled().await.unwrap().is_empty());
    let worker = start(worker);
    until(|| health.status() == WorkerStatus::Serving).await;
    polls(&health, 2).await;
    // Another worker of the same queue is not this one.
    let other = fleet.worker().tools(&queue, tools![hold]).health();
    assert_eq!(other.status(), WorkerStatus::New);

    assert_eq!((health.calls(), health.runs()), (0, 0));
    let talk = fleet.conversation(&name, "t1");
    talk.say("call hold {}").await.unwrap();
    until(|| (health.calls(), health.runs()) == (1, 1)).await;
    let stopped = tokio::spawn(worker.ended());
    until(|| health.status() == WorkerStatus::Draining).await;
    assert_eq!((health.calls(), health.runs()), (1, 1));
    MAY_END.add_permits(1);
    stopped.await.unwrap().unwrap();
    assert_eq!(health.status(), WorkerStatus::Ended);
    assert_eq!((health.calls(), health.runs()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_fails_or_is_dropped_has_ended() {
    let fleet: Fleet = fleet().await;
    let worker = fleet.worker().tools(unique("health"), tools![hold]);
    let health = worker.health();
    let mut run = Box::pin(worker.run(std::future::pending()));
    let served = tokio::time::timeout(Duration::from_millis(500), &mut run).await;
    assert!(served.is_err() && health.status() == WorkerStatus::Serving);
    drop(run);
    assert_eq!(health.status(), WorkerStatus::Ended);
    let nothing = fleet.worker();
    let health = nothing.health();
    nothing.run(std::future::pending()).await.unwrap_err();
    assert_eq!(health.status(), WorkerStatus::Ended);
}

/// Reports no number, until it may end.
#[tool(timeout = "60s")]
async fn guess(#[context] cx: &Context) {
    cx.progress(Progress::new(f64::NAN).with_message("who knows"));
    MAY_GUESS.acquire().await.unwrap().forget();
}

static MAY_GUESS: Semaphore = Semaphore::const_new(0);

#[tokio::test(flavor = "multi_thread")]
async fn a_strange_report_and_a_strange_id_hide_no_call() {
    let (fleet, name) = (fleet().await, unique("guesser"));
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "c".repeat(3_000_000),
            "guess",
            "{}",
        )])),
        Ok(ModelResponse::text("done")),
    ]);
    let agent = Agent::new(model, tools![guess]).checkpointer(MemoryCheckpointer::new());
    let worker = start(fleet.worker().agent(&name, agent));
    let talk = fleet.conversation(&name, "t1");
    talk.say("guess").await.unwrap();
    let run = running(&talk, |run| {
        run.calls.iter().any(|it| it.progress.is_some())
    })
    .await;
    assert_eq!((run.attempt, run.calls.len()), (1, 1));
    let call = &run.calls[0];
    assert_eq!((call.id.len(), &*call.tool), (500, "guess"));
    let progress = call.progress.as_ref().unwrap();
    assert!(progress.done.is_nan());
    assert_eq!(progress.message.as_deref(), Some("who knows"));
    MAY_GUESS.add_permits(1);
    let state = talk.wait().await.unwrap();
    assert_eq!(state.text.as_deref(), Some("done"));
    worker.stop().await;
}

static MAY_READ: Semaphore = Semaphore::const_new(0);

/// Reads pages, one at a time.
#[tool(timeout = "60s")]
async fn read_pages(#[context] cx: &Context) {
    for page in [1.0, 2.0] {
        let progress = Progress::new(page).with_total(2.0);
        cx.progress(
            progress
                .with_message("é".repeat(400))
                .with_item(json!("a page")),
        );
        MAY_READ.acquire().await.unwrap().forget();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_see_what_runs_with_the_progress_of_its_calls() {
    let (fleet, queue, name) = (fleet().await, unique("pages"), unique("reader"));
    let tools = tools![read_pages];
    let far = fleet.toolset(&queue, &tools).unwrap();
    let near = tools.prefix("near_").unwrap();
    let executor = Executor::parallel(far.merge(&near).unwrap(), 4);
    let agent = Agent::with_executor(Obedient, executor).checkpointer(MemoryCheckpointer::new());
    let worker = fleet.worker().tools(&queue, tools).agent(&name, agent);
    let worker = start(worker);
    let talk = fleet.conversation(&name, "t1");
    let nobody = talk.running().await.unwrap_err();
    assert!(matches!(nobody, FleetError::NoConversation { .. }));
    talk.say("call read_pages {}\ncall near_read_pages {}")
        .await
        .unwrap();

    for page in [1.0, 2.0] {
        let run = running(&talk, |run| {
            let done = |call: &RunningCall| {
                call.progress
                    .as_ref()
                    .is_some_and(|it| it.done.total_cmp(&page).is_eq())
            };
            run.calls.len() == 2 && run.calls.iter().all(done)
        })
        .await;
        let worker = format!("toolwright@{}/", std::process::id());
        assert!(run.worker.is_some_and(|it| it.starts_with(&worker)));
        assert_eq!((run.attempt, run.failure), (1, None));
        let calls: Vec<_> = run.calls.iter().map(|it| (&*it.id, &*it.tool)).collect();
        assert_eq!(calls, [("c1", "read_pages"), ("c2", "near_read_pages")]);
        for call in run.calls {
            let progress = call.progress.unwrap();
            assert_eq!(progress.total, Some(2.0));
            // Cut between characters.
            assert_eq!(progress.message.unwrap(), "é".repeat(250));
            assert_eq!(progress.item, None);
        }
        MAY_READ.add_permits(2);
    }
    talk.wait().await.unwrap();
    assert_eq!(talk.running().await.unwrap(), None);
    worker.stop().await;
}
