//! The tests of the shop.

use std::sync::Arc;

use serde_json::json;
use toolwright::Context;
use toolwright_testing as testing;

use super::tools::{Shop, all};

// ANCHOR: tests
fn tools() -> toolwright::Toolset {
    all(&Arc::new(Shop::open()))
}

/// Calls that the schemas admit end in a result, or in an error that the shop wrote. `refund` is not approved, and only
/// decoded.
pub fn calls_at_random() {
    testing::assert_callable(&tools(), &Context::new(), 1, 100);
}

/// A change that breaks those who call the tools fails here: `TOOLS_LOCK=update cargo test` accepts it.
pub fn the_lock_is_up_to_date() {
    toolwright::lock!(tools(), "tests/programs/shop/tools.lock")
        .check()
        .unwrap();
}

/// Nobody has approved it, so the tool does not run.
pub fn a_refund_needs_an_approval() {
    let call = toolwright::ToolCall::new("1", "refund", json!({"id": 7, "cents": 5}).to_string());
    let result = tools().call_blocking(&call, &Context::new());
    let error = result.outcome.unwrap_err();
    assert_eq!(error.kind(), toolwright::call::ErrorKind::NotApproved);
}
// ANCHOR_END: tests
