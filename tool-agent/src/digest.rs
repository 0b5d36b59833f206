//! Digest of what a person was shown. An approval holds for exactly that: if the digest differs, the call does not run.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use toolwright_provider::call::ToolCall;
use toolwright_runtime::toolset::Toolset;

/// Returns the SHA-256 of the tool's name, its current schema and the call's arguments, as 64 hexadecimal digits. An
/// unknown tool has no schema.
pub(crate) fn of(call: &ToolCall, tools: &Toolset) -> String {
    let schema = tools.get(&call.name).map(|tool| tool.def().input.as_json());
    of_parts(&[&*call.name, schema.unwrap_or_default(), &*call.arguments])
}

/// Returns the digest of a call that was shown without its tool. No other digest has two parts.
pub(crate) fn of_call(call: &ToolCall) -> String {
    of_parts(&[&*call.name, &*call.arguments])
}

fn of_parts(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // The length prefix makes the encoding unambiguous.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
