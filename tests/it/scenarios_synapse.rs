//! A registry of tools, called by name, as a program of Synapse's would.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::{
    Context, Encoder, Executor, Registry, ToolCall, call::ErrorKind, executor::Batch, tool, tools,
};

/// Adds.
#[tool(meta(kind = "maths"))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Fails.
#[tool(meta(kind = "broken"))]
fn broken() -> Result<i64, String> {
    Err("the disk is full".into())
}

#[test]
fn a_call_succeeds_fails_or_is_of_no_tool_and_the_loop_goes_on() {
    let registry = Registry::from(tools![add, broken]);
    let executor = Executor::serial(&registry);
    let calls = [
        ToolCall::new("1", "add", r#"{"a": 1, "b": 2}"#),
        ToolCall::new("2", "broken", ""),
        ToolCall::new("3", "launch", "{}"),
    ];
    let batch: Batch = executor.run_blocking(&calls, &Context::new());
    let results: Vec<_> = batch.results().collect();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0].value(), Some(json!(3)));
    assert!(results[0].errors().next().is_none());

    assert_eq!(results[1].value(), None);
    assert_eq!(
        results[1].errors().collect::<Vec<_>>(),
        ["the disk is full"]
    );

    assert_eq!(results[2].value(), None);
    let error = results[2].outcome.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unknown);
    assert_eq!(results[2].content(Encoder::auto()), "unknown tool `launch`");
    // Attributes ride on the answers of tools that there are, good or bad.
    let kinds: Vec<_> = results
        .iter()
        .map(|result| result.attributes.get("kind").cloned())
        .collect();
    assert_eq!(kinds, [Some(json!("maths")), Some(json!("broken")), None]);
    // Nothing stops the conversation.
    assert!(batch.is_settled() && batch.halted().is_none());
}
