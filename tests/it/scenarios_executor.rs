//! What other systems' users do with the calls of a turn, from end to end.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};
use toolwright::{
    Context, Encoder, Executor, Outcome, Schema, ToolCall, ToolError, ToolResult,
    call::{Cancel, ErrorKind, HaltReason},
    executor::{ErrorPolicy, Halted, OnFailure, PendingReason},
    tool, tools,
};

fn call(id: &str, name: &str, arguments: &serde_json::Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.outcome.as_ref().err().map(ToolError::kind)
}

/// A unit
#[derive(Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
    Kelvin,
}

static MEASURED: AtomicUsize = AtomicUsize::new(0);

/// Measures.
#[tool]
fn measure(unit: Unit) -> &'static str {
    MEASURED.fetch_add(1, Ordering::SeqCst);
    match unit {
        Unit::Celsius => "7",
        Unit::Fahrenheit => "44.6",
        Unit::Kelvin => "280.15",
    }
}

#[test]
fn a_value_that_is_not_allowed_runs_nothing_and_all_allowed_ones_are_told() {
    let executor = Executor::serial(tools![measure]);
    let calls = [call("c1", "measure", &json!({"unit": "rankine"}))];
    let batch = executor.run_blocking(&calls, &Context::new());
    let result = batch.results().next().unwrap();
    assert_eq!(kind(result), Some(ErrorKind::InvalidArgs));
    let text = result.content(Encoder::auto());
    for word in ["unit", "celsius", "fahrenheit", "kelvin"] {
        assert!(text.contains(word), "{text}");
    }
    assert_eq!(MEASURED.load(Ordering::SeqCst), 0);
}

/// Answers.
#[tool]
fn ok() -> &'static str {
    "fine"
}

/// Fails.
#[tool]
fn broken() -> Result<u8, &'static str> {
    Err("no")
}

/// Submits.
#[tool]
fn submit(plan: Vec<String>) -> Outcome {
    Outcome::halt(HaltReason::new("plan_submitted"), json!({"steps": plan}))
}

#[test]
fn an_unknown_tool_between_two_takes_its_own_place() {
    let calls = ["ok", "nope", "ok"].map(|name| call(name, name, &json!({})));
    let batch = Executor::parallel(tools![ok], 3).run_blocking(&calls, &Context::new());
    let kinds: Vec<_> = batch.results().map(kind).collect();
    assert_eq!(kinds, [None, Some(ErrorKind::Unknown), None]);
    let text = batch.results().nth(1).unwrap().content(Encoder::text());
    assert_eq!(text, "Error: unknown tool `nope`");
    assert!(batch.halted().is_none());
}

#[test]
fn a_halt_says_why_whose_and_what_and_its_answer_holds_the_value() {
    let calls = [call("c9", "submit", &json!({"plan": ["a", "b"]}))];
    let batch = Executor::serial(tools![submit]).run_blocking(&calls, &Context::new());
    let Some(Halted::Halt {
        index: 0,
        id,
        reason,
        value,
    }) = batch.halted()
    else {
        panic!("{:?}", batch.halted())
    };
    assert_eq!((&**id, reason.as_str()), ("c9", "plan_submitted"));
    assert_eq!(value.to_json(), r#"{"steps":["a","b"]}"#);
    let text = batch.results().next().unwrap().content(Encoder::auto());
    assert_eq!(text, r#"{"steps":["a","b"]}"#);
}

#[test]
fn an_error_ends_the_turn_where_the_host_says_so_and_its_text_is_json() {
    let calls = ["broken", "ok"].map(|name| call(name, name, &json!({})));
    let executor = Executor::serial(tools![broken, ok]).on_error(ErrorPolicy::Abort);
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(batch.halted(), Some(&Halted::Aborted { index: 0 }));
    let texts: Vec<_> = batch
        .results()
        .map(|result| result.content(Encoder::json()))
        .collect();
    assert_eq!(
        texts,
        [r#"{"error":"no"}"#, r#"{"error":"the call was cancelled"}"#]
    );
    let calls = [call("1", "ok", &json!({}))];
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(
        batch.results().next().unwrap().content(Encoder::json()),
        r#""fine""#
    );
}

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Takes a moment.
#[tool]
async fn moment(n: u32) -> u32 {
    PEAK.fetch_max(NOW.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(5)).await;
    NOW.fetch_sub(1, Ordering::SeqCst);
    n
}

/// Takes forever.
#[tool(timeout = "20ms")]
async fn forever() -> u8 {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn of_twenty_calls_two_run_at_once_and_one_that_hangs_keeps_its_id() {
    let calls: Vec<_> = (0..20)
        .map(|n| match n {
            7 => call("slow", "forever", &json!({})),
            n => call(&format!("c{n}"), "moment", &json!({"n": n})),
        })
        .collect();
    let executor = Executor::parallel(tools![moment, forever], 2);
    let batch = executor.run(&calls, &Context::new()).await;
    for (n, (result, call)) in batch.results().zip(&calls).enumerate() {
        assert_eq!(result.id, call.id);
        let expected = (n == 7).then_some(ErrorKind::Timeout);
        assert_eq!(kind(result), expected, "{n}");
    }
    assert_eq!(batch.results().count(), 20);
    assert!(PEAK.load(Ordering::SeqCst) <= 2);
}

/// Takes so many milliseconds.
#[tool]
async fn wait(ms: u64) -> u64 {
    sleep(Duration::from_millis(ms)).await;
    ms
}

/// Never answers, and says nothing of its time.
#[tool]
async fn stuck() -> u8 {
    std::future::pending().await
}

fn waits(all: &[u64]) -> Vec<ToolCall> {
    let one = |(index, ms): (usize, &u64)| call(&index.to_string(), "wait", &json!({"ms": ms}));
    all.iter().enumerate().map(one).collect()
}

#[tokio::test(start_paused = true)]
async fn four_tools_of_a_tenth_of_a_second_take_a_tenth_of_a_second() {
    let cx = Context::new();
    for (executor, all, took) in [
        (Executor::parallel(tools![wait], 4), &[100; 4][..], 100),
        (Executor::parallel(tools![wait], 4), &[50, 10, 30], 50),
        (Executor::parallel(tools![wait], 2), &[100; 4], 200),
        (Executor::serial(tools![wait]), &[50, 10, 30], 90),
        (Executor::serial(tools![wait]), &[], 0),
        (Executor::parallel(tools![wait], 4), &[], 0),
    ] {
        let start = Instant::now();
        let batch = executor.run(&waits(all), &cx).await;
        assert_eq!(start.elapsed(), Duration::from_millis(took));
        let values: Vec<_> = batch.results().map(ToolResult::value).collect();
        let expected: Vec<_> = all.iter().map(|ms| Some(json!(ms))).collect();
        assert_eq!(values, expected);
        for (index, result) in batch.results().enumerate() {
            assert_eq!(*result.id, index.to_string());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_never_answers_is_ended_after_half_a_minute_and_equal_ids_stay_apart() {
    let calls = [
        call("same", "stuck", &json!({})),
        call("same", "wait", &json!({"ms": 40})),
        call("same", "wait", &json!({"ms": 1})),
    ];
    let start = Instant::now();
    let executor = Executor::parallel(tools![wait, stuck], 3);
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(start.elapsed(), Duration::from_secs(30));
    let answers: Vec<_> = batch
        .results()
        .map(|result| (&*result.id, &*result.name, kind(result), result.value()))
        .collect();
    let timeout = Some(ErrorKind::Timeout);
    assert_eq!(
        answers,
        [
            ("same", "stuck", timeout, None),
            ("same", "wait", None, Some(json!(40))),
            ("same", "wait", None, Some(json!(1)))
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn to_stop_what_has_ended_changes_nothing() {
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let executor = Executor::serial(tools![wait, stuck]);
    let batch = executor.run(&waits(&[5]), &cx).await;
    stop.cancel();
    stop.cancel();
    assert!(batch.halted().is_none());
    assert_eq!(batch.results().next().unwrap().value(), Some(json!(5)));

    // What runs when it is stopped is not heard any more, and the executor is free again.
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let calls = [call("1", "stuck", &json!({}))];
    let (batch, ()) = tokio::join!(executor.run(&calls, &cx), async {
        sleep(Duration::from_millis(5)).await;
        stop.cancel();
    });
    assert_eq!(batch.halted(), Some(&Halted::Cancelled));
    let batch = executor.run(&waits(&[5]), &Context::new()).await;
    assert_eq!(batch.results().next().unwrap().value(), Some(json!(5)));
}

/// What no encoder can write.
struct Unwritable;

impl serde::Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("never"))
    }
}

#[test]
fn a_policy_whose_own_words_fail_halts_and_keeps_the_error() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let calls = ["broken", "ok"].map(|name| call(name, name, &json!({})));
    let cx = Context::new();
    for (fails, expected) in [(0, None), (1, Some(Halted::ToolError { index: 0 }))] {
        ASKED.store(0, Ordering::SeqCst);
        let policy = ErrorPolicy::with(move |_, _| {
            ASKED.fetch_add(1, Ordering::SeqCst);
            OnFailure::Replace(if fails == 0 {
                Outcome::value("instead")
            } else {
                Outcome::value(Unwritable)
            })
        });
        let executor = Executor::serial(tools![broken, ok]).on_error(policy);
        let batch = executor.run_blocking(&calls, &cx);
        assert_eq!(ASKED.load(Ordering::SeqCst), 1);
        assert_eq!(batch.halted(), expected.as_ref());
        let kinds: Vec<_> = batch.results().map(kind).collect();
        let failed = expected.is_some().then_some(ErrorKind::Failed);
        assert_eq!(kinds, [failed, None]);
    }
}

/// A person charges.
#[tool(manual)]
fn charge(cents: u64) -> u64 {
    cents
}

/// Asks.
#[tool]
fn which() -> Outcome {
    Outcome::ask("Which city?")
}

#[test]
fn manual_calls_wait_in_their_order_whatever_else_the_turn_says() {
    static RAN: AtomicUsize = AtomicUsize::new(0);

    /// Counts.
    #[tool]
    fn counted() -> usize {
        RAN.fetch_add(1, Ordering::SeqCst)
    }

    let cx = Context::new();
    let tools = tools![charge, counted, which, submit];
    let pay = |id| call(id, "charge", &json!({"cents": 1}));
    let count = |id| call(id, "counted", &json!({}));
    let waiting = |batch: &toolwright::executor::Batch| -> Vec<(usize, PendingReason)> {
        let one = |call: &toolwright::executor::Pending| (call.index, call.reason.clone());
        batch.pending().map(one).collect()
    };
    let auto = Executor::parallel(&tools, 4);
    let manual = auto.clone().manual(|_| true);

    // Only automatic ones: nothing waits. Only manual ones: nothing runs.
    let batch = auto.run_blocking(&[count("a"), count("b")], &cx);
    assert!(batch.is_settled() && batch.halted().is_none());
    assert_eq!(RAN.swap(0, Ordering::SeqCst), 2);
    let batch = auto.run_blocking(&[pay("a"), pay("b")], &cx);
    assert_eq!(batch.results().count(), 0);
    assert_eq!(
        waiting(&batch),
        [
            (0, PendingReason::ManualTool),
            (1, PendingReason::ManualTool)
        ]
    );
    // Mixed: those that can run do.
    let batch = auto.run_blocking(&[pay("a"), count("b"), pay("c")], &cx);
    assert_eq!(RAN.swap(0, Ordering::SeqCst), 1);
    assert_eq!(batch.halted(), Some(&Halted::Pending));
    assert_eq!(waiting(&batch).len(), 2);
    // One of those that ran asks or ends the turn: it says why, and the manual ones wait as before.
    for (name, reason) in [("which", "ask_user"), ("submit", "plan_submitted")] {
        let other = call("b", name, &json!({"plan": []}));
        let other = if name == "which" {
            call("b", name, &json!({}))
        } else {
            other
        };
        let batch = auto.run_blocking(&[pay("a"), other, pay("c")], &cx);
        assert_eq!(batch.halted().unwrap().as_str(), reason);
        assert_eq!(
            waiting(&batch),
            [
                (0, PendingReason::ManualTool),
                (2, PendingReason::ManualTool)
            ]
        );
    }
    // The whole turn by hand: nothing runs, whatever the tools say of themselves.
    let batch = manual.run_blocking(&[count("a"), pay("b")], &cx);
    assert_eq!(RAN.load(Ordering::SeqCst), 0);
    assert_eq!(waiting(&batch).len(), 2);
    assert_eq!(batch.halted(), Some(&Halted::Pending));
    // A name that is not there is found before anybody waits.
    for executor in [&auto, &manual] {
        let batch = executor.run_blocking(&[pay("a"), call("b", "nope", &json!({}))], &cx);
        assert_eq!(
            kind(batch.results().next().unwrap()),
            Some(ErrorKind::Unknown)
        );
        let abort = executor.clone().on_error(ErrorPolicy::Abort);
        let batch = abort.run_blocking(&[pay("a"), call("b", "nope", &json!({}))], &cx);
        assert_eq!(batch.halted(), Some(&Halted::Aborted { index: 1 }));
    }
}

#[test]
fn a_bound_of_zero_is_one() {
    /// Answers.
    #[tool]
    fn ping() {}

    let batch = Executor::parallel(tools![ping], 0)
        .run_blocking(&[call("a", "ping", &json!({}))], &Context::new());
    assert!(batch.results().all(ToolResult::is_success));
}
