//! Limits on the text of a schema.

use serde::Deserialize;
use serde_json::Value;

use super::audit::error;
use super::plain::Plain;
use crate::dyn_tool::{SchemaError, SchemaErrorKind as Kind};
use toolwright_schema::decode::{Json, Problem, Segment, Store};
use toolwright_schema::text::escaped;

const MOST_BYTES: usize = 256 * 1024;
const MOST_DEPTH: usize = 64;

/// Reads the text of a schema that is neither too large nor too deep.
pub(super) fn read(text: &str) -> Result<Value, SchemaError> {
    size(text)?;
    let store = Store::new();
    let Plain(schema) = Plain::deserialize(&mut Json::new(text, &store)).map_err(unread)?;
    depth(&schema)?;
    Ok(schema)
}

fn unread(why: toolwright_schema::decode::Error) -> SchemaError {
    let (problem, _, path) = why.into_parts();
    let at: String = path
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) | Segment::Name(key) => format!("/{}", escaped(key)),
            Segment::Index(index) => format!("/{index}"),
        })
        .collect();
    match problem {
        Problem::DuplicateKey => error(Kind::Invalid, &at, "given more than once"),
        Problem::TooDeep => too_deep(),
        _ => error(Kind::Invalid, &at, "a number that is too large"),
    }
}

fn size(text: &str) -> Result<(), SchemaError> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let message = format!(
        "it has {} bytes; at most {MOST_BYTES} are taken",
        text.len()
    );
    Err(error(Kind::TooLarge, "", message))
}

fn depth(schema: &Value) -> Result<(), SchemaError> {
    if nesting(schema) <= MOST_DEPTH {
        return Ok(());
    }
    Err(too_deep())
}

fn too_deep() -> SchemaError {
    let message = format!(
        "more than {MOST_DEPTH} arrays and objects inside each other; put inner schemas under `$defs`"
    );
    error(Kind::TooDeep, "", message)
}

/// Returns the depth of a value. Readers of JSON stop at 128, so the recursion is bounded.
fn nesting(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting).max().unwrap_or(0),
        Value::Object(entries) => 1 + entries.values().map(nesting).max().unwrap_or(0),
        _ => 0,
    }
}
