//! A tool that answers with a stream: its last item is the result, the others are told.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, Executor, Outcome, ToolCall, ToolError, ToolResult, Toolset,
    call::{ErrorKind, Items},
    executor::Event,
    tool, tools,
};

/// Counts.
#[tool]
fn count(to: u32) -> Items<u32> {
    Items::new(stream::iter(1..=to))
}

/// Counts slowly, after a wait.
#[tool]
async fn slow(to: u32) -> Items<String> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    Items::new(stream::iter(1..=to).then(|n| async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        format!("{n} done")
    }))
}

static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Fails at the third item.
#[tool]
fn breaks() -> Items<u32> {
    Items::fallible(stream::iter(1..).map(|n| {
        ASKED.fetch_add(1, Ordering::SeqCst);
        if n < 3 { Ok(n) } else { Err(format!("no {n}")) }
    }))
}

/// Fails in words of its own.
#[tool]
fn says() -> Items<u32> {
    let error = ToolError::new(ErrorKind::Rejected, "not this one");
    Items::fallible(stream::iter([Err(error)]))
}

/// May not even begin.
#[tool]
fn checked(ok: bool) -> Result<Items<u8>, String> {
    if ok {
        Ok(Items::new(stream::iter([1, 2])))
    } else {
        Err("closed".into())
    }
}

/// Asks at the end.
#[tool]
fn asks() -> Items<Outcome> {
    Items::new(stream::iter([
        Outcome::value("so far"),
        Outcome::ask("Go on?"),
    ]))
}

/// Panics on the way.
#[tool]
fn boom() -> Items<u8> {
    Items::new(stream::iter(0..5u8).map(|n| if n < 2 { n } else { panic!("secret") }))
}

/// Never ends, and is always ready.
#[tool]
fn forever() -> Items<u8> {
    Items::new(stream::repeat(1))
}

/// Streams in a stream.
#[tool]
fn nested() -> Items<Items<u8>> {
    Items::new(stream::iter([Items::new(stream::iter([1]))]))
}

fn all() -> Toolset {
    tools![
        count, slow, breaks, says, checked, asks, boom, forever, nested
    ]
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(name, name, arguments.to_string())
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.outcome.as_ref().err().map(ToolError::kind)
}

#[test]
fn without_an_executor_the_last_item_is_all_there_is() {
    let (tools, cx) = (all(), Context::new());
    let run = |name: &str, arguments| tools.call_blocking(&call(name, arguments), &cx);
    assert_eq!(run("count", json!({"to": 3})).value(), Some(json!(3)));
    assert_eq!(run("slow", json!({"to": 2})).value(), Some(json!("2 done")));
    assert_eq!(run("checked", json!({"ok": true})).value(), Some(json!(2)));
    assert_eq!(
        run("checked", json!({"ok": false}))
            .errors()
            .collect::<Vec<_>>(),
        ["closed"]
    );
    assert!(matches!(
        run("asks", json!({})).outcome,
        Ok(Outcome::AskUser { .. })
    ));
    let empty = run("count", json!({"to": 0}));
    assert_eq!(kind(&empty), Some(ErrorKind::InvalidReturn));
    assert_eq!(
        kind(&run("nested", json!({}))),
        Some(ErrorKind::InvalidReturn)
    );
}

#[tokio::test(start_paused = true)]
async fn each_item_before_the_last_is_progress() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&told);
    let executor = Executor::parallel(all(), 4).on_event(move |event| {
        if let Event::Progress { name, progress, .. } = event {
            let item = progress.item.clone().unwrap_or_default();
            seen.lock()
                .unwrap()
                .push(format!("{name} {} {item}", progress.done));
        }
    });
    let calls = [
        call("count", json!({"to": 3})),
        call("slow", json!({"to": 3})),
    ];
    let batch = executor.run(&calls, &Context::new()).await;
    let values: Vec<_> = batch
        .results()
        .map(|result| result.value().unwrap())
        .collect();
    assert_eq!(values, [json!(3), json!("3 done")]);
    assert_eq!(
        *told.lock().unwrap(),
        [
            "count 1 1",
            "count 2 2",
            "slow 1 \"1 done\"",
            "slow 2 \"2 done\""
        ]
    );
}

#[test]
fn an_error_ends_the_stream_and_is_the_calls() {
    let result = all().call_blocking(&call("breaks", json!({})), &Context::new());
    assert_eq!(result.errors().collect::<Vec<_>>(), ["no 3"]);
    assert_eq!(
        (kind(&result), ASKED.load(Ordering::SeqCst)),
        (Some(ErrorKind::Failed), 3)
    );
    let result = all().call_blocking(&call("says", json!({})), &Context::new());
    assert_eq!(kind(&result), Some(ErrorKind::Rejected));
}

#[tokio::test(start_paused = true)]
async fn what_a_stream_does_concerns_no_other_call() {
    let calls = [
        call("boom", json!({})),
        call("slow", json!({"to": 1000})),
        call("count", json!({"to": 200})),
    ];
    let executor = Executor::parallel(all(), 4).timeout(Duration::from_secs(2));
    let batch = executor.run(&calls, &Context::new()).await;
    let kinds: Vec<_> = batch.results().map(kind).collect();
    assert_eq!(
        kinds,
        [Some(ErrorKind::Panicked), Some(ErrorKind::Timeout), None]
    );
    let alone = all().call_blocking(&call("boom", json!({})), &Context::new());
    assert_eq!(kind(&alone), Some(ErrorKind::Panicked));
}

#[test]
fn a_stream_without_end_ends_with_its_time() {
    let executor = Executor::parallel(all(), 2).timeout(Duration::from_millis(50));
    let calls = [call("forever", json!({})), call("count", json!({"to": 1}))];
    let batch = executor.run_blocking(&calls, &Context::new());
    let kinds: Vec<_> = batch.results().map(kind).collect();
    assert_eq!(kinds, [Some(ErrorKind::Timeout), None]);
}

/// Never ends, which its own limit sees to.
#[tool(timeout = "20ms")]
fn endless() -> Items<u32> {
    Items::new(stream::iter(1..).then(|n| async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        n
    }))
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_returns_a_stream_may_have_a_limit_of_its_own() {
    let executor = Executor::parallel(tools![endless], 1).timeout(None);
    let batch = executor
        .run(&[call("endless", json!({}))], &Context::new())
        .await;
    let result = batch.results().next().unwrap();
    assert_eq!(kind(result), Some(ErrorKind::Timeout));
    assert!((20..40).contains(&result.duration.as_millis()));
}

/// Waits, and then answers with a stream that has no end.
#[tool]
async fn late(ms: u64) -> Items<u32> {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    Items::new(stream::pending())
}

/// Waits.
#[tool]
async fn rest(ms: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

/// A call's time is one, from its start, whatever began between its answer and its items.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_stream_began_with_its_call() {
    let calls = [
        call("late", json!({"ms": 9_900})),
        call("rest", json!({"ms": 9_800})),
        call("late", json!({"ms": 60_000})),
    ];
    let executor = Executor::parallel(tools![late, rest], 2).timeout(Duration::from_secs(10));
    let batch = executor.run(&calls, &Context::new()).await;
    let kinds: Vec<_> = batch.results().map(kind).collect();
    let timeout = Some(ErrorKind::Timeout);
    assert_eq!(kinds, [timeout, None, timeout]);
    let took: Vec<_> = batch
        .results()
        .map(|result| result.duration.as_millis())
        .collect();
    assert!((10_000..10_100).contains(&took[0]), "{took:?}");
    assert!((10_000..10_100).contains(&took[2]), "{took:?}");
}

#[test]
fn a_closure_may_answer_with_a_stream() {
    let tool = DynTool::builder()
        .name("dyn")
        .description("Streams.")
        .handler_sync(|_: Value, _| Ok::<_, ToolError>(Items::new(stream::iter(["a", "b"]))))
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    let result = tools.call_blocking(&call("dyn", json!({})), &Context::new());
    assert_eq!(result.value(), Some(json!("b")));
}

/// Fails once, and may not be asked again.
#[tool]
fn fails_once() -> Items<u8> {
    let again = stream::poll_fn(|_| panic!("asked after its error"));
    Items::fallible(stream::iter([Err("no")]).chain(again))
}

#[test]
fn a_stream_is_not_asked_again_after_its_error() {
    let tools = tools![fails_once];
    let result = tools.call_blocking(&call("fails_once", json!({})), &Context::new());
    assert_eq!(result.errors().collect::<Vec<_>>(), ["no"]);
    let tool = tools.get("fails_once").unwrap();
    let handled = Toolset::new([Arc::clone(tool).handle_errors()]).unwrap();
    let result = handled.call_blocking(&call("fails_once", json!({})), &Context::new());
    assert_eq!(result.value(), Some(json!("no")));
}
