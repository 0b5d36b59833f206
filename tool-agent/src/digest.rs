//! Digests of what a person was shown. An approval holds for exactly that: if a digest differs, the call does not run.

use std::fmt::Write;

use serde_json::json;
use sha2::{Digest, Sha256};
use toolwright_provider::call::ToolCall;
use toolwright_runtime::toolset::Toolset;

/// Returns the SHA-256 of the call and of the [tool](of_tool) that it was shown with, as 64 hexadecimal digits. The tool is
/// empty if the call was shown without one.
pub(crate) fn of(call: &ToolCall, tool: &str) -> String {
    of_parts(&[&*call.name, tool, &*call.arguments])
}

/// Returns the SHA-256 of all that says what a tool means: its name, description, hints and schema. A tool that is not there
/// has a digest, too.
pub(crate) fn of_tool(name: &str, tools: &Toolset) -> String {
    let Some(tool) = tools.get(name) else {
        return of_parts(&[]);
    };
    let def = tool.def();
    let hints = json!([
        def.options.annotations,
        def.options.manual,
        def.options.needs_approval
    ])
    .to_string();
    of_parts(&[&*def.name, &*def.description, &*hints, def.input.as_json()])
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
