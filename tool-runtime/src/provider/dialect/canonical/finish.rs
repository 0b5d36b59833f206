//! What follows from the keywords of a schema together.

use super::super::keywords::Keywords;
use super::union;
use crate::schema::read::{Ordered, Pair};

/// What a format means, until the description is known. No keyword has a space.
pub(super) const WORDS: &str = "format words";

/// What follows from the keywords together.
pub(super) fn finished(mut out: Keywords) -> Ordered {
    union::tell_meanings(&mut out);
    if let Some(words) = out.take(WORDS) {
        out.tell(words.as_str().unwrap_or_default());
    }
    if out.list("required").is_some_and(<[Ordered]>::is_empty) {
        out.take("required");
    }
    if !out.has("type")
        && let Some(values) = out.list("enum")
        && let Some(types) = union::types_of(values)
    {
        out.set("type", types);
    }
    // OpenAPI 3.0's word, which Gemini's dialect writes too.
    if out.take("nullable") == Some(Ordered::Bool(true)) {
        union::admit_null(&mut out);
    }
    // Where no other part evaluates keys, these are the same.
    let evaluating = [
        "additionalProperties",
        "$ref",
        "allOf",
        "anyOf",
        "dependentSchemas",
        "if",
    ];
    if !evaluating.iter().any(|key| out.has(key))
        && let Some(others) = out.take("unevaluatedProperties")
    {
        out.set("additionalProperties", others);
    }
    let is_object = out.types().contains(&"object");
    let is_closed = out.get("additionalProperties") == Some(&Ordered::Bool(false));
    let others = [
        "properties",
        "patternProperties",
        "propertyNames",
        "anyOf",
        "allOf",
        "$ref",
    ];
    if is_object && is_closed && !others.iter().any(|key| out.has(key)) {
        out.set("properties", Ordered::empty());
    }
    out.into_schema()
}

/// How much a value counts: its nodes, and its text by the line.
pub(super) fn weight(value: &Ordered) -> usize {
    match value {
        Ordered::String(text) => 1 + text.len() / 64,
        Ordered::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Ordered::Object(entries) => {
            let entry = |(key, value): &Pair| 1 + key.len() / 64 + weight(value);
            1 + entries.iter().map(entry).sum::<usize>()
        }
        _ => 1,
    }
}
