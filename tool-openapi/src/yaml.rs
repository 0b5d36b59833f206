//! Documents in YAML, read into the same values as JSON.

use std::borrow::Cow;

use toolwright::json::Value;

use crate::notice::ImportError;

/// Reads YAML as JSON, with its objects in order.
pub(crate) fn parse(text: &str, most: usize) -> Result<Value<'static>, ImportError> {
    if text.len() > most {
        return Err(ImportError::TooLong(most));
    }
    let value: Value<'static> =
        serde_saphyr::from_str(text).map_err(|error| ImportError::Syntax(error.to_string()))?;
    Ok(keyed(value))
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
