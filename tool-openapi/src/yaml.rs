//! Documents in YAML, read into the same values as JSON.

use std::borrow::Cow;

use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use toolwright::json::Value;

use crate::notice::ImportError;

/// Reads YAML 1.2 as JSON, with its objects in order and their repeated keys. Its limits fit a document of 64 MiB, and end one
/// whose aliases repeat each other.
pub(crate) fn parse(text: &str, most: usize) -> Result<Value<'static>, ImportError> {
    if text.len() > most {
        return Err(ImportError::TooLong(most));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 128,
            max_events: 1 << 26,
            max_nodes: 1 << 25,
            max_aliases: 1 << 20,
            max_anchors: 1 << 20,
            enforce_alias_anchor_ratio: false,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        strict_booleans: true,
        // JSON has no such number.
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
    };
    let value: Result<Value<'static>, _> = serde_saphyr::from_str_with_options(text, options);
    value
        .map(keyed)
        .map_err(|error| ImportError::Syntax(error.to_string()))
}

fn keyed(value: Value<'static>) -> Value<'static> {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(keyed).collect()),
        Value::Object(entries) => {
            let entries = entries
                .into_iter()
                .map(|(key, value)| (Cow::Owned(key.into_owned()), keyed(value)));
            Value::Object(entries.collect())
        }
        other => other,
    }
}
