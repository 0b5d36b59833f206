//! The parts of a call that a person sees, as bytes: a decision is about exactly these.

use serde_json::json;
use toolwright_provider::call::{ToolCall, ToolDef};

/// Returns the bytes of a tool's meaning: its name, description, hints and schema.
#[doc(hidden)]
pub fn definition_bytes(def: &ToolDef) -> Vec<u8> {
    let options = &def.options;
    let hints = json!([options.annotations, options.manual, options.needs_approval]);
    let (hints, input) = (hints.to_string(), def.input.as_json());
    joined(&[
        def.name.as_bytes(),
        def.description.as_bytes(),
        hints.as_bytes(),
        input.as_bytes(),
    ])
}

/// Returns the bytes of a call as it was shown: its name, the definition of its tool, its arguments, and the revision of its
/// record, if its outcome is unknown. `definition` is that of [`definition_bytes`], or a digest of it. A stored
/// decision has a digest of these bytes.
#[doc(hidden)]
pub fn call_bytes(call: &ToolCall, definition: &[u8], record: Option<u64>) -> Vec<u8> {
    let record = record.map(u64::to_le_bytes);
    let (name, arguments) = (call.name.as_bytes(), call.arguments.as_bytes());
    match &record {
        Some(record) => joined(&[name, definition, arguments, record]),
        None => joined(&[name, definition, arguments]),
    }
}

/// Joins parts with their lengths, so that no two lists of parts have the same bytes.
fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}
