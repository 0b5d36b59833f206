//! Fingerprint of the arguments that a tool takes: a caller and a worker may have different versions of a tool.

use serde_json::Value;
use toolwright::call::ErrorKind;
use toolwright::{Context, ToolCall, ToolDef, ToolError, Toolset};

use crate::payloads::sha256;

/// Checks a call that a caller made for a tool of this fingerprint. If the worker's tool has another one, the arguments are
/// read under their old names.
///
/// # Errors
/// When the worker's tool has another fingerprint and refuses the arguments.
pub(crate) fn check(
    theirs: &str,
    tools: &Toolset,
    call: &ToolCall,
    cx: &Context,
) -> Result<(), ToolError> {
    let Some(ours) = tools.get(&call.name).map(|tool| fingerprint(tool.def())) else {
        return Ok(());
    };
    if ours == theirs {
        return Ok(());
    }
    tools.__validate_stored(call, cx).map_err(|error| {
        let short = |print: &str| print.get(..8).unwrap_or_default().to_owned();
        let (name, theirs, ours) = (&call.name, short(theirs), short(&ours));
        let words = format!(
            "the call is for another version of `{name}` ({theirs}) than the worker's ({ours}), and does not fit; nothing ran: {error}"
        );
        ToolError::new(ErrorKind::NotStarted, words).permanent()
    })
}

/// Returns a digest of the input schema, without its words.
pub(crate) fn fingerprint(def: &ToolDef) -> String {
    let text = def.input.as_json();
    match serde_json::from_str(text) {
        Ok(mut schema) => {
            strip_words(&mut schema);
            sha256(schema.to_string().as_bytes())
        }
        Err(_) => sha256(text.as_bytes()),
    }
}

/// Removes what a schema says to people and models: correcting a description is not a new version.
fn strip_words(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for word in ["title", "description", "examples", "$comment"] {
                members.remove(word);
            }
            for (keyword, value) in members.iter_mut() {
                match (&**keyword, value) {
                    // Their keys are names.
                    (
                        "properties" | "patternProperties" | "$defs" | "definitions"
                        | "dependentSchemas",
                        Value::Object(named),
                    ) => named.values_mut().for_each(strip_words),
                    ("const" | "enum" | "default", _) => {}
                    (_, value) => strip_words(value),
                }
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(strip_words),
        _ => {}
    }
}
