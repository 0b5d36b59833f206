//! How an executor runs a call: how often its arguments are read, on which threads, by which clock, and what it
//! tells of repairs.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and a validator takes what its attribute gives it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps
)]

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::{
    Context, Executor, ToolCall,
    call::{BoxFuture, Cancel, ErrorKind},
    executor::{CallPlan, Event, Halted, PendingReason, Turn},
    layers::{Handled, Layer, Next, Request},
    tool, tools,
};

static READ: AtomicUsize = AtomicUsize::new(0);

fn counted(_: &u8) -> Result<(), String> {
    READ.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

/// Takes a number.
#[tool(validate = counted)]
fn take(n: u8) -> u8 {
    n
}

/// Hands on.
struct Through;

impl Layer for Through {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(next.run(request))
    }
}

/// Without layers arguments are read once; with layers they are found right before the first layer sees them.
#[test]
fn arguments_are_read_once_and_once_more_for_layers() {
    let calls = [ToolCall::new("1", "take", r#"{"n": 7}"#)];
    for (executor, times) in [
        (Executor::serial(tools![take]), 1),
        (Executor::serial(tools![take]).layer(Through), 2),
        (
            Executor::serial(tools![take]).layer(Through).layer(Through),
            2,
        ),
    ] {
        READ.store(0, Ordering::SeqCst);
        let batch = executor.run_blocking(&calls, &Context::new());
        assert_eq!(batch.results().next().unwrap().value(), Some(json!(7)));
        assert_eq!(READ.load(Ordering::SeqCst), times);
    }
}

static HERE: AtomicUsize = AtomicUsize::new(0);

/// Waits on its thread until two calls of it run, and says whether they did.
#[tool(blocking)]
fn meet() -> (bool, String) {
    HERE.fetch_add(1, Ordering::SeqCst);
    let began = Instant::now();
    while HERE.load(Ordering::SeqCst) < 2 && began.elapsed() < Duration::from_secs(20) {
        thread::yield_now();
    }
    let met = HERE.load(Ordering::SeqCst) >= 2;
    (met, format!("{:?}", thread::current().id()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn computing_calls_run_on_several_threads_at_once() {
    let calls = [
        ToolCall::new("1", "meet", "{}"),
        ToolCall::new("2", "meet", "{}"),
    ];
    let executor = Executor::parallel(tools![meet], 2);
    let run = async move { executor.run(&calls, &Context::new()).await };
    let batch = tokio::spawn(run).await.unwrap();
    let values: Vec<_> = batch
        .results()
        .map(|result| result.value().unwrap())
        .collect();
    assert_eq!((&values[0][0], &values[1][0]), (&json!(true), &json!(true)));
    assert_ne!(values[0][1], values[1][1]);
}

/// Never answers.
#[tool(timeout = "50ms")]
async fn hurried() -> u8 {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_is_kept_by_executors_alone() {
    let (tools, cx) = (tools![hurried], Context::new());
    let call = ToolCall::new("1", "hurried", "{}");
    let hour = Duration::from_hours(1);
    assert!(
        tokio::time::timeout(hour, tools.call(&call, &cx))
            .await
            .is_err()
    );
    let executor = Executor::serial(&tools);
    assert!(
        tokio::time::timeout(hour, executor.run(&[call], &cx))
            .await
            .is_ok()
    );
}

#[test]
fn repairs_are_told_before_the_end_of_a_call() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&told);
    let executor = Executor::serial(tools![take]).on_event(move |event| {
        let word = match event {
            Event::Repaired { index, repairs, .. } => {
                format!("repaired {index}: {}", repairs.len())
            }
            Event::Finished { index, .. } => format!("finished {index}"),
            _ => return,
        };
        seen.lock().unwrap().push(word);
    });
    let calls = [
        ToolCall::new("1", "take", r#"{"n": 7}"#),
        ToolCall::new("2", "take", r#"{"n": "7"}"#),
    ];
    executor.run_blocking(&calls, &Context::new());
    assert_eq!(
        *told.lock().unwrap(),
        ["finished 0", "repaired 1: 1", "finished 1"]
    );
}

/// Takes no longer.
#[tool(timeout = "2s")]
async fn short() -> u8 {
    RAN.fetch_add(1, Ordering::SeqCst)
}

static RAN: AtomicU8 = AtomicU8::new(0);

#[test]
fn a_call_that_waited_too_long_elsewhere_does_not_run() {
    let tools = tools![short, take];
    let executor = Executor::serial(&tools).timeout(Duration::from_secs(7));
    let limit = |name| executor.time_limit(tools.get(name).unwrap().def());
    assert_eq!(limit("short"), Some(Duration::from_secs(2)));
    assert_eq!(limit("take"), Some(Duration::from_secs(7)));
    let unlimited = executor.clone().timeout(None);
    assert_eq!(unlimited.time_limit(tools.get("take").unwrap().def()), None);

    let calls = ["short", "short", "nobody"].map(|name| ToolCall::new("1", name, "{}"));
    let late = CallPlan::Late(Duration::from_secs(2));
    let plans = [late, CallPlan::Run, late];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let batch = runtime.block_on(executor.run(Turn::planned(&calls, &plans), &Context::new()));
    let told: Vec<_> = batch.results().map(|result| &result.outcome).collect();
    let error = told[0].as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(
        error.to_string(),
        "timed out after 2s of waiting for its turn"
    );
    assert!(told[1].is_ok());
    assert_eq!(told[2].as_ref().unwrap_err().kind(), ErrorKind::Unknown);
    assert_eq!(RAN.load(Ordering::SeqCst), 1);
}

#[test]
fn a_call_that_the_host_leaves_is_left_where_the_batch_is_cancelled() {
    let stop = Cancel::new();
    stop.cancel();
    let calls = ["take", "take"].map(|name| ToolCall::new("1", name, r#"{"n": 1}"#));
    let cx = Context::new().with_cancel(stop);
    let executor = Executor::serial(tools![take]);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let plans = [CallPlan::Leave, CallPlan::Run];
    let batch = runtime
        .unwrap()
        .block_on(executor.run(Turn::planned(&calls, &plans), &cx));
    assert_eq!(batch.halted(), Some(&Halted::Cancelled));
    let left: Vec<_> = batch.pending().collect();
    assert_eq!((left.len(), left[0].index), (1, 0));
    assert_eq!(left[0].reason, PendingReason::Left);
    let answered: Vec<_> = batch.results().map(|result| &result.outcome).collect();
    assert_eq!(
        answered[0].as_ref().unwrap_err().kind(),
        ErrorKind::Cancelled
    );
}
