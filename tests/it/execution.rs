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

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::sleep;
use toolwright::{
    Context, Executor, ToolCall,
    call::{BoxFuture, Cancel, ErrorKind},
    executor::{Batch, CallPlan, Event, ExclusiveGate, Halted, PendingReason, Turn},
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

/// Takes its time.
#[tool]
async fn rest(ms: u64) -> u64 {
    sleep(Duration::from_millis(ms)).await;
    ms
}

/// Takes its time, alone.
#[tool(exclusive, timeout = "2s")]
async fn alone(ms: u64) -> u64 {
    sleep(Duration::from_millis(ms)).await;
    ms
}

/// Makes executors that share a gate, and returns the starts and ends of their calls, with their times in milliseconds.
fn behind_a_gate() -> (impl Fn() -> Executor, Arc<Mutex<Vec<String>>>) {
    let (gate, lines) = (
        ExclusiveGate::default(),
        Arc::<Mutex<Vec<String>>>::default(),
    );
    let (began, seen) = (tokio::time::Instant::now(), Arc::clone(&lines));
    let make = move || {
        let seen = Arc::clone(&seen);
        Executor::parallel(tools![rest, alone], 8)
            .exclusive_across(&gate)
            .on_event(move |event| {
                let line = match event {
                    Event::Started { call, .. } => format!("+{}", call.id),
                    Event::Finished { result, .. } => format!("-{}", result.id),
                    _ => return,
                };
                let ms = began.elapsed().as_millis();
                seen.lock().unwrap().push(format!("{line}:{ms}"));
            })
    };
    (make, lines)
}

/// Runs a call after this time.
async fn runs_at(
    at: u64,
    executor: Executor,
    (id, tool, ms): (&str, &str, u64),
    cx: Context,
) -> Batch {
    sleep(Duration::from_millis(at)).await;
    let call = ToolCall::new(id, tool, json!({"ms": ms}).to_string());
    executor.run(&[call], &cx).await
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_call_runs_alone_in_all_executors_behind_its_gate() {
    let (make, lines) = behind_a_gate();
    tokio::join!(
        runs_at(0, make(), ("a", "rest", 30), Context::new()),
        runs_at(1, make(), ("b", "alone", 20), Context::new()),
        runs_at(10, make(), ("c", "rest", 40), Context::new()),
        runs_at(60, make(), ("d", "rest", 5), Context::new()),
        // A call that does not run does not wait.
        runs_at(61, make(), ("e", "nobody", 5), Context::new()),
    );
    let lines = lines.lock().unwrap().join(" ");
    assert_eq!(
        lines,
        "+a:0 +c:10 -a:30 -c:50 +b:50 +e:61 -e:61 -b:70 +d:70 -d:75"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_behind_a_gate_waits_for_its_time_limit_at_most() {
    let (make, lines) = behind_a_gate();
    let stop = Cancel::new();
    let cancelled = Context::new().with_cancel(stop.clone());
    let (_, late, stopped, ()) = tokio::join!(
        runs_at(0, make(), ("a", "rest", 5_000), Context::new()),
        runs_at(1, make(), ("b", "alone", 1), Context::new()),
        runs_at(1, make(), ("c", "alone", 1), cancelled),
        async {
            sleep(Duration::from_secs(1)).await;
            stop.cancel();
        },
    );
    let error = late.results().next().unwrap().outcome.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(
        error.to_string(),
        "timed out after 2s of waiting for its turn"
    );
    assert_eq!(stopped.halted(), Some(&Halted::Cancelled));
    assert_eq!(
        lines.lock().unwrap().join(" "),
        "+a:0 -c:1000 +b:2001 -b:2001 -a:5000"
    );
    // Nothing of it is left.
    let batch = runs_at(0, make(), ("d", "alone", 1), Context::new()).await;
    assert!(batch.results().all(toolwright::ToolResult::is_success));
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
    assert_eq!(left[0].reason, PendingReason::NotRun);
    let answered: Vec<_> = batch.results().map(|result| &result.outcome).collect();
    assert_eq!(
        answered[0].as_ref().unwrap_err().kind(),
        ErrorKind::Cancelled
    );
}
