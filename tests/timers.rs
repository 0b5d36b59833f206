//! A call that waits has one timer for its time limit, and a call that is answered at once has none. A program of its own: its panic hook counts the timers of all threads.
#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used)]

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolwright::{
    Context, Executor, ToolCall, Toolset,
    call::{Cancel, ErrorKind},
    tool, tools,
};

/// How many timers were asked for.
static TIMERS: AtomicUsize = AtomicUsize::new(0);

/// Gives the others a turn, without a clock.
async fn others() {
    let mut polled = false;
    poll_fn(|task| {
        if std::mem::replace(&mut polled, true) {
            return Poll::Ready(());
        }
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Waits a little.
#[tool]
async fn waits() -> u8 {
    others().await;
    others().await;
    1
}

/// Has a limit of its own.
#[tool(timeout = "5s")]
async fn hurried() -> u8 {
    others().await;
    2
}

/// Is there at once.
#[tool]
async fn ready() -> u8 {
    3
}

fn all() -> Toolset {
    tools![waits, hurried, ready]
}

/// In a runtime without a clock whoever asks for a timer panics, which is contained: so they are counted.
fn timers(executor: &Executor, names: &[(&str, usize)]) -> usize {
    let names = names.iter();
    let names = names.flat_map(|(name, times)| std::iter::repeat_n(*name, *times));
    let calls = names.enumerate();
    let calls: Vec<_> = calls
        .map(|(place, name)| ToolCall::new(place.to_string(), name, "{}"))
        .collect();
    let before = TIMERS.load(Ordering::SeqCst);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let cx = Context::new().with_cancel(Cancel::new());
    let batch = runtime.unwrap().block_on(executor.run(&calls, &cx));
    let answered = batch.results().filter(|result| result.is_success());
    assert_eq!(answered.count(), calls.len());
    TIMERS.load(Ordering::SeqCst) - before
}

#[test]
fn a_timer_is_made_for_what_waits_under_a_limit() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload_as_str().unwrap_or_default();
        if words.contains("timers are disabled") {
            TIMERS.fetch_add(1, Ordering::SeqCst);
        } else {
            others(panic);
        }
    }));
    let many = Executor::parallel(all(), 1000);
    let whole = many.clone().batch_timeout(Duration::from_mins(1));
    let waits = [("waits", 1000)];
    assert_eq!(timers(&many, &waits), 1000);
    // One more for the batch as a whole.
    assert_eq!(timers(&whole, &waits), 1001);
    // None where nothing waits, and where nothing is limited.
    assert_eq!(timers(&many, &[("ready", 1000)]), 0);
    assert_eq!(timers(&many.clone().timeout(None), &waits), 0);
    assert_eq!(timers(&many, &[]), 0);
}

/// Sleeps.
#[tool]
async fn sleeps(ms: u64) -> u64 {
    sleep(Duration::from_millis(ms)).await;
    ms
}

/// Sleeps no longer than it may.
#[tool(timeout = "50ms")]
async fn naps(ms: u64) -> u64 {
    sleep(Duration::from_millis(ms)).await;
    ms
}

#[tokio::test(start_paused = true)]
async fn each_call_has_its_time_from_its_own_start() {
    // Three at once: from when to when each runs, in milliseconds.
    let calls = [
        ("sleeps", 300, (0, 300)),
        ("sleeps", 5000, (0, 1000)),
        ("naps", 5000, (0, 50)),
        ("sleeps", 5000, (50, 1050)),
        ("sleeps", 990, (300, 1290)),
        ("sleeps", 1200, (1000, 2000)),
        ("naps", 5000, (1050, 1100)),
        ("sleeps", 5000, (1100, 2100)),
        ("sleeps", 5000, (1290, 2290)),
    ];
    let asked = calls.map(|(name, ms, _)| ToolCall::new("", name, format!(r#"{{"ms": {ms}}}"#)));
    let executor = Executor::parallel(tools![sleeps, naps], 3).timeout(Duration::from_secs(1));
    let start = Instant::now();
    let batch = executor.run(&asked, &Context::new()).await;
    let all = start.elapsed().as_millis();
    for (result, (name, ms, (from, to))) in batch.results().zip(calls) {
        let took = result.duration.as_millis();
        // tokio's clock rounds up.
        assert!((to - from..to - from + 3).contains(&took), "{name} {took}");
        let kind = result
            .outcome
            .as_ref()
            .err()
            .map(toolwright::ToolError::kind);
        let late = ms > to - from;
        assert_eq!(kind, late.then_some(ErrorKind::Timeout), "{name} {ms}");
    }
    assert!((2290..2300).contains(&all), "{all}");
}
