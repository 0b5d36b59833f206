//! What hosts see of their workers: health, and measurements.

use std::time::Duration;

use tokio::sync::Semaphore;
use toolwright::{tool, tools};
use toolwright_fleet::{Fleet, Health, WorkerStatus};

use crate::support::{agent, fleet, start, unique, until};

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
