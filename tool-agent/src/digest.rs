//! Digests of what a person was shown. An approval holds for exactly that: if a digest differs, the call does not run.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::{call_bytes, definition_bytes};
use toolwright_runtime::toolset::Toolset;

/// Returns the SHA-256 of the call, of the [tool](of_tool) that it was shown with, and of the revision of its record, as 64
/// hexadecimal digits. The tool is empty if the call was shown without one.
pub(crate) fn of(call: &ToolCall, tool: &str, record: Option<u64>) -> String {
    hex(&call_bytes(call, tool.as_bytes(), record))
}

/// Returns the SHA-256 of all that says what a tool means. A tool that is not there has a digest, too.
pub(crate) fn of_tool(name: &str, tools: &Toolset) -> String {
    let tool = tools.get(name).map(|tool| definition_bytes(tool.def()));
    hex(&tool.unwrap_or_default())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
