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
use toolwright::{
    Context, Encoder, ErrorKind, ErrorPolicy, Executor, HaltReason, Halted, Outcome, Schema,
    ToolCall, ToolError, ToolResult, tool, tools,
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
