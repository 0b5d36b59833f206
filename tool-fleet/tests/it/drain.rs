//! How workers stop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use toolwright::{ToolCall, tool, tools};

use crate::support::{agent, call, fleet, run, start, unique, until};

static BEGUN: AtomicUsize = AtomicUsize::new(0);

/// Works for a while.
#[tool(timeout = "60s")]
async fn work(ms: u64) -> u64 {
    BEGUN.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stops_lets_calls_end_and_takes_no_more() {
    let (fleet, queue) = (fleet().await, unique("drains"));
    let worker = start(fleet.worker().tools(&queue, tools![work]));
    let far = fleet.toolset(&queue, &tools![work]).unwrap();
    let ask = |ms: u64| {
        let far = far.clone();
        tokio::spawn(async move {
            let asked = ToolCall::new("c1", "work", format!(r#"{{"ms": {ms}}}"#));
            call(&far, &asked, &run("drains")).await
        })
    };
    let before = BEGUN.load(Ordering::SeqCst);
    let first = ask(4000);
    until(|| BEGUN.load(Ordering::SeqCst) > before).await;
    let stopped = tokio::spawn(worker.ended());
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let second = ask(1);
    assert_eq!(first.await.unwrap().value(), Some(4000.into()));
    stopped.await.unwrap().unwrap();
    assert!(!second.is_finished());
    // The next worker takes it.
    let worker = start(fleet.worker().tools(&queue, tools![work]));
    assert_eq!(second.await.unwrap().value(), Some(1.into()));
    worker.stop().await;
}

static STOPPED: AtomicUsize = AtomicUsize::new(0);

/// Works for a long while.
#[tool(timeout = "60s")]
async fn long() {
    STOPPED.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(40)).await;
}

static AGAIN: AtomicUsize = AtomicUsize::new(0);

/// Looks for a long while, at first.
#[tool(idempotent, timeout = "60s")]
async fn look() -> usize {
    let times = AGAIN.fetch_add(1, Ordering::SeqCst);
    let wait = if times == 0 { 40 } else { 0 };
    tokio::time::sleep(Duration::from_secs(wait)).await;
    times
}

#[tokio::test(flavor = "multi_thread")]
async fn after_its_limit_calls_are_unknown_or_go_on_elsewhere() {
    let (fleet, queue) = (fleet().await, unique("limit"));
    let tools = tools![long, look];
    let limited = fleet
        .worker()
        .tools(&queue, &tools)
        .drain_limit(Duration::from_secs(1));
    let worker = start(limited);
    let far = fleet.toolset(&queue, &tools).unwrap();
    let ask = |name: &'static str| {
        let far = far.clone();
        let asked = ToolCall::new("c1", name, "{}");
        tokio::spawn(async move { call(&far, &asked, &run("limit")).await })
    };
    let (long, look) = (ask("long"), ask("look"));
    until(|| STOPPED.load(Ordering::SeqCst) == 1 && AGAIN.load(Ordering::SeqCst) == 1).await;
    let began = Instant::now();
    worker.stop().await;
    assert!(
        began.elapsed() < Duration::from_secs(12),
        "{:?}",
        began.elapsed()
    );
    let error = long.await.unwrap().outcome.unwrap_err();
    assert!(error.is_outcome_unknown());
    assert_eq!(
        error.to_string(),
        "the worker stopped while the call ran; it is not known whether it took effect"
    );
    let worker = start(fleet.worker().tools(&queue, &tools));
    assert_eq!(look.await.unwrap().value(), Some(1.into()));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_a_worker_leaves_goes_on_elsewhere_and_finds_its_call() {
    let (fleet, queue, name) = (fleet().await, unique("tools"), unique("agent"));
    let tools = start(fleet.worker().tools(&queue, tools![work]));
    let far = fleet.toolset(&queue, &tools![work]).unwrap();
    let agent = agent(&far);
    let first = fleet
        .worker()
        .agent(&name, agent.clone())
        .drain_limit(Duration::from_secs(1));
    let first = start(first);
    let talk = fleet.conversation(&name, "t1");
    let before = BEGUN.load(Ordering::SeqCst);
    talk.say(r#"call work {"ms": 8000}"#).await.unwrap();
    until(|| BEGUN.load(Ordering::SeqCst) > before).await;
    first.stop().await;
    let second = start(fleet.worker().agent(&name, agent));
    let state = talk.wait().await.unwrap();
    assert_eq!(state.text.as_deref(), Some("8000"), "{state:?}");
    second.stop().await;
    tools.stop().await;
}
