//! Rules for calls from outside, whatever way they came.

use std::time::Duration;

use serde_json::Value;
use toolwright_provider::call::ToolResult;
use toolwright_runtime::tool::Context;
use toolwright_schema::decode::{Repair, Repairs};

/// Limits the repairs of calls from outside to values. Their author is unknown, so their keys stay as they were
/// written.
pub fn from_outside(cx: Context) -> Context {
    let repairs = cx.repairs().min(Repairs::Values);
    cx.with_repairs(repairs)
}

/// Adds the earlier repairs of a pending call to its result.
pub fn repaired_before(mut result: ToolResult, repairs: &[Repair]) -> ToolResult {
    // A call that was decoded again lists its repairs itself.
    if result.repairs.is_empty() {
        result.repairs = repairs.into();
    }
    result
}

/// Returns why a call needs a decision, in words for a person: `destructive, risk: high` for
/// `{"destructive": true, "risk": "high"}`. `None` if nothing is said.
pub fn details_in_words(details: &Value) -> Option<String> {
    let words = |value: &Value| match value {
        Value::String(words) => words.clone(),
        other => other.to_string(),
    };
    let words = match details {
        Value::Null => return None,
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| match value {
                Value::Bool(true) => name.clone(),
                value => format!("{name}: {}", words(value)),
            };
            members.iter().map(member).collect::<Vec<_>>().join(", ")
        }
        other => words(other),
    };
    Some(words).filter(|words| !words.is_empty())
}

/// Time for calls to answer after the server's end cancelled them.
pub const CANCEL_GRACE: Duration = Duration::from_secs(2);
