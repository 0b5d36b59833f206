//! The tests of the shop.

use super::tools::{Shop, all};

// ANCHOR: tests
use std::sync::Arc;

use serde_json::json;
use toolwright::Context;
use toolwright_testing as testing;

fn tools() -> toolwright::Toolset {
    all(&Arc::new(Shop::open()))
}

/// Calls that the schemas admit end in a result, or in an error that the shop wrote. `refund` is not approved, and only
/// decoded.
#[test]
fn calls_at_random() {
    testing::assert_callable(&tools(), &Context::new(), 1, 100);
}

/// A change that the file does not have fails here. `TOOLS_LOCK=update cargo test` writes it, and `TOOLS_LOCK=accept-major` also
/// one that breaks those who call the tools.
#[test]
fn the_lock_is_up_to_date() {
    toolwright::lock!(tools(), "tests/tools.lock")
        .check()
        .unwrap();
}

/// Nobody has approved it, so the tool does not run.
#[test]
fn a_refund_needs_an_approval() {
    let call = toolwright::ToolCall::new("1", "refund", json!({"id": 7, "cents": 5}).to_string());
    let result = tools().call_blocking(&call, &Context::new());
    let error = result.outcome.unwrap_err();
    assert_eq!(error.kind(), toolwright::call::ErrorKind::NotApproved);
}
// ANCHOR_END: tests
