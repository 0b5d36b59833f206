//! JSON text that goes through `rmcp` as it is.
//!
//! `rmcp` holds results and schemas as maps of values, which keep neither the order of keys nor the
//! digits of long numbers. So our text goes through it as a string, in an object that has nothing else,
//! and is put in that object's place where the bytes of the message are written. The string stands
//! under a key that nobody outside knows, so that no tool's own text can be taken for one.

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use rmcp::model::{
    CallToolResult, JsonObject, JsonRpcMessage, MetaObject, ServerJsonRpcMessage, ServerResult,
    Tool,
};
use serde_json::Value;

use crate::random;

/// The key; another one in each process.
fn key() -> &'static str {
    static KEY: OnceLock<String> = OnceLock::new();
    KEY.get_or_init(|| format!("toolwright/{}", random::id()))
}

fn meta(json: String) -> MetaObject {
    let mut meta = JsonObject::new();
    meta.insert(key().to_owned(), Value::String(json));
    MetaObject(meta)
}

/// What a call came to: the text of the result.
pub(super) fn result(json: String) -> CallToolResult {
    let mut result = CallToolResult::success(Vec::new());
    result.is_error = None;
    result.meta = Some(meta(json));
    result
}

/// A tool's definition.
pub(super) fn tool(json: String) -> Tool {
    let mut tool = Tool::default();
    tool.meta = Some(meta(json));
    tool
}

/// What stands before the object's `_meta`, in each of the objects that hold nothing else.
const BEFORE: [&str; 3] = [
    r#"{"content":[],"_meta":"#,
    r#"{"resultType":"complete","content":[],"_meta":"#,
    r#"{"name":"","inputSchema":{},"_meta":"#,
];

/// The message's JSON.
pub(super) fn write(message: &ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    // Nearly every message: an answer to a call.
    if let JsonRpcMessage::Response(response) = message
        && let ServerResult::CallToolResult(result) = &response.result
        && let Some(Value::String(json)) = result.meta.as_ref().and_then(|meta| meta.0.get(key()))
    {
        let mut line = br#"{"jsonrpc":"2.0","id":"#.to_vec();
        serde_json::to_writer(&mut line, &response.id)?;
        line.extend_from_slice(br#","result":"#);
        line.extend_from_slice(json.as_bytes());
        line.push(b'}');
        return Ok(line);
    }
    let json = serde_json::to_vec(message)?;
    Ok(match splice(&json) {
        Cow::Borrowed(_) => json,
        Cow::Owned(json) => json,
    })
}

/// The same bytes, with our text in the place of the objects that hold it.
pub(super) fn splice(bytes: &[u8]) -> Cow<'_, [u8]> {
    static NEEDLE: OnceLock<Finder<'static>> = OnceLock::new();
    let needle = NEEDLE.get_or_init(|| {
        let needle = format!(r#"{{"{}":"#, key());
        Finder::new(&needle).into_owned()
    });
    let mut written = Vec::new();
    let mut rest = bytes;
    while let Some((before, json, after)) = next(rest, needle) {
        written.extend_from_slice(before);
        written.extend_from_slice(json.as_bytes());
        rest = after;
    }
    if written.is_empty() {
        return Cow::Borrowed(bytes);
    }
    written.extend_from_slice(rest);
    Cow::Owned(written)
}

/// What stands before the first object that holds text, the text, and what stands behind.
fn next<'b>(bytes: &'b [u8], needle: &Finder<'_>) -> Option<(&'b [u8], String, &'b [u8])> {
    let at = needle.find(bytes)?;
    let before = bytes.get(..at)?;
    let before = BEFORE
        .iter()
        .find_map(|start| before.strip_suffix(start.as_bytes()))?;
    let held = bytes.get(at + needle.needle().len()..)?;
    let end = string_end(held)?;
    let json = serde_json::from_slice(held.get(..end)?).ok()?;
    let after = held.get(end..)?.strip_prefix(b"}}")?;
    Some((before, json, after))
}

/// Behind the last quote of the string that stands first.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}
