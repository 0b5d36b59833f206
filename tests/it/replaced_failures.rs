//! A failure in whose place a policy or a layer puts something is one all the same: what the call wanted the conversation to
//! know is dropped, and what still runs of it is told to stop.
#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use toolwright::layers::Retry;
use toolwright::{
    Context, DynTool, Executor, Outcome, Tool, ToolCall, ToolError, ToolOptions, ToolResult,
    Toolset,
    call::{BoxFuture, ErrorKind},
    executor::{ErrorPolicy, OnFailure},
    layers::{Handled, Layer, Next, Request},
};

/// Longer than any test takes that holds.
const LONG: Duration = Duration::from_secs(10);

/// Blocks its thread until it is told to stop, in all attempts but the last; says whether it was told.
fn stubborn(attempts: u32, told: Sender<bool>) -> Arc<dyn Tool> {
    let attempt = AtomicU32::new(0);
    DynTool::builder()
        .name("stubborn")
        .description("Takes its time.")
        .options(ToolOptions::new().blocking(true).idempotent(true))
        .handler_sync(move |_: serde_json::Value, cx: Context| {
            cx.update_state("half_done", true);
            if attempt.fetch_add(1, Ordering::SeqCst) == attempts {
                return Ok::<_, ToolError>("done");
            }
            let (stop, began) = (cx.cancel(), Instant::now());
            while !stop.is_cancelled() && began.elapsed() < LONG {
                std::thread::sleep(Duration::from_millis(1));
            }
            told.send(stop.is_cancelled()).unwrap();
            Ok("late")
        })
        .build()
        .unwrap()
}

fn stubborn_set(attempts: u32) -> (Toolset, Receiver<bool>) {
    let (told, hears) = channel();
    (Toolset::new([stubborn(attempts, told)]).unwrap(), hears)
}

fn run(executor: &Executor, name: &str) -> toolwright::executor::Batch {
    let executor = executor.clone().timeout(Duration::from_millis(300));
    executor.run_blocking(&[ToolCall::new("1", name, "{}")], &Context::new())
}

fn replace() -> ErrorPolicy {
    ErrorPolicy::with(|_, _| OnFailure::Replace(Outcome::value("go on without")))
}

/// Says something else where the time is over.
struct Fallback;

impl Layer for Fallback {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let handled = next.run(request).await;
            match handled.error().map(ToolError::kind) {
                Some(ErrorKind::Timeout) => Handled::from(Outcome::value("go on without")),
                _ => handled,
            }
        })
    }
}

type Change = Box<dyn FnOnce(Executor) -> Executor>;

#[test]
fn a_call_that_took_too_long_is_told_to_stop_whatever_is_said_in_its_place() {
    let retry = Retry::new(2).backoff(Duration::ZERO, Duration::ZERO);
    let cases: [(u32, &str, Change); 3] = [
        (
            1,
            "go on without",
            Box::new(|executor| executor.on_error(replace())),
        ),
        (
            1,
            "go on without",
            Box::new(|executor| executor.layer(Fallback)),
        ),
        (1, "done", Box::new(|executor| executor.layer(retry))),
    ];
    for (attempts, said, change) in cases {
        let (tools, hears) = stubborn_set(attempts);
        let batch = run(&change(Executor::serial(&tools)), "stubborn");
        let result = batch.results().next().unwrap();
        assert_eq!(result.value().unwrap(), said);
        assert_eq!(hears.recv_timeout(2 * LONG), Ok(true), "{said}");
        // Of attempts that failed nothing is known.
        assert_eq!(batch.state().is_some(), said == "done");
    }
}

#[test]
fn what_a_failed_call_noted_is_dropped_with_layers_and_without() {
    let fails = DynTool::builder()
        .name("fails")
        .description("Fails.")
        .handler_sync(|_: serde_json::Value, cx: Context| {
            assert!(cx.update_state("paid", true));
            Err::<(), _>(ToolError::failed("no"))
        })
        .build()
        .unwrap();
    let executor = Executor::serial(Toolset::new([fails]).unwrap()).on_error(replace());
    for executor in [executor.clone(), executor.layer(Fallback)] {
        let batch = run(&executor, "fails");
        assert!(batch.results().all(ToolResult::is_success));
        assert_eq!(batch.state(), None);
    }
}
