//! What a person was shown, in one line: an approval holds for that and nothing else.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use toolwright_runtime::{ToolCall, Toolset};

/// The SHA-256 of the tool's name, its schema as it is now, and the call's arguments: 64 hexadecimal
/// digits. A tool that is gone has no schema.
pub(crate) fn of(call: &ToolCall, tools: &Toolset) -> String {
    let schema = tools.get(&call.name).map(|tool| tool.def().input.as_json());
    of_parts(&[&*call.name, schema.unwrap_or_default(), &*call.arguments])
}

/// The same of a call that was seen without its tool. No other digest is of two parts.
pub(crate) fn of_call(call: &ToolCall) -> String {
    of_parts(&[&*call.name, &*call.arguments])
}

fn of_parts(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Each with its length, so that no two calls are the same bytes.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // A string takes whatever is written.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
