//! `call_blocking`: with a runtime, without one, and inside one.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::thread;

use serde_json::json;
use toolwright::{Context, ToolCall, ToolResult, Toolset, call::ErrorKind, tool, tools};

/// Answers at once.
#[tool]
fn at_once(n: u8) -> u8 {
    n
}

/// Waits for its turn.
#[tool]
async fn waits(n: u8) -> u8 {
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    n
}

/// Is woken by another thread.
#[tool]
async fn woken(n: u8) -> u8 {
    let (send, receive) = tokio::sync::oneshot::channel();
    thread::spawn(move || send.send(n));
    receive.await.unwrap()
}

/// Fails after a wait.
#[tool]
async fn fails() -> Result<(), String> {
    tokio::task::yield_now().await;
    Err("no".into())
}

/// Panics after a wait.
#[tool]
async fn panics() -> u8 {
    tokio::task::yield_now().await;
    panic!("secret")
}

/// Calls another tool.
#[tool]
async fn nested(n: u8) -> Option<serde_json::Value> {
    tokio::task::yield_now().await;
    let call = ToolCall::new("inner", "waits", json!({ "n": n }).to_string());
    tools![waits].call_blocking(&call, &Context::new()).value()
}

fn set() -> Toolset {
    tools![at_once, waits, woken, fails, panics, nested]
}

fn run(tools: &Toolset, name: &str) -> ToolResult {
    let arguments = if matches!(name, "fails" | "panics") {
        "{}"
    } else {
        r#"{"n":7}"#
    };
    tools.call_blocking(&ToolCall::new("c1", name, arguments), &Context::new())
}

#[track_caller]
fn check() {
    let tools = set();
    for name in ["at_once", "waits", "woken", "nested"] {
        assert_eq!(run(&tools, name).value(), Some(json!(7)), "{name}");
    }
    for (name, kind) in [
        ("fails", ErrorKind::Failed),
        ("panics", ErrorKind::Panicked),
    ] {
        assert_eq!(
            run(&tools, name).outcome.unwrap_err().kind(),
            kind,
            "{name}"
        );
    }
}

#[test]
fn no_runtime_is_needed() {
    check();
}

#[test]
fn threads_may_call_at_once() {
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(check);
        }
    });
}

#[tokio::test]
async fn inside_a_runtime_of_one_thread() {
    check();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inside_a_runtime_of_many_threads() {
    check();
    tokio::task::spawn_blocking(check).await.unwrap();
    tokio::task::block_in_place(check);
    tokio::spawn(async { check() }).await.unwrap();
}

#[test]
fn beside_a_runtime_that_is_entered() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let guard = runtime.enter();
    check();
    drop(guard);
}

/// Needs a timer, which only a runtime has.
#[cfg(feature = "tokio")]
#[tool]
async fn timed() -> bool {
    let never = std::future::pending::<()>();
    tokio::time::timeout(std::time::Duration::ZERO, never)
        .await
        .is_err()
}

#[cfg(feature = "tokio")]
#[test]
fn timers_work_without_a_runtime() {
    let result = tools![timed].call_blocking(&ToolCall::new("c1", "timed", ""), &Context::new());
    assert_eq!(result.value(), Some(json!(true)));
}
