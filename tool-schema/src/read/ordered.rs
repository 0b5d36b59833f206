use std::borrow::Cow;

use toolwright_json::Value;

use crate::keyword::{Keyword, TYPES};

/// A schema as a value: words of JSON Schema are borrowed, numbers have one spelling.
pub type Ordered = Value<'static>;

/// An entry of an object.
pub type Pair = (Cow<'static, str>, Ordered);

/// Reads the JSON text of a schema.
///
/// `None` if it is not JSON, or holds a number that is too large for an `f64`. Decimals, and integers of more than 64
/// bits, become the nearest `f64`'s shortest text, so that equal bounds are equal bytes in definitions.
pub fn read(text: &str) -> Option<Ordered> {
    owned(Value::parse(text).ok()?)
}

/// A schema that was read from elsewhere, as [`read`] returns it.
pub fn owned(value: Value<'_>) -> Option<Ordered> {
    Some(match value {
        Value::Null => Value::Null,
        Value::Bool(value) => Value::Bool(value),
        Value::Number(text) => Value::Number(spelled(text.into_owned().into())?),
        Value::String(text) => Value::String(own(text)),
        Value::Array(items) => {
            let items = items.into_iter().map(owned);
            Value::Array(items.collect::<Option<_>>()?)
        }
        Value::Object(entries) => {
            let entries = entries.into_iter();
            let entries = entries.map(|(key, value)| Some((own(key), owned(value)?)));
            Value::Object(entries.collect::<Option<_>>()?)
        }
    })
}

/// Gives all numbers of a value their one spelling. Returns false if one is too large for an `f64`.
pub(crate) fn respelled(value: &mut Value<'_>) -> bool {
    match value {
        Value::Number(text) => match spelled(std::mem::take(text)) {
            Some(spelled) => {
                *text = spelled;
                true
            }
            None => false,
        },
        Value::Array(items) => items.iter_mut().all(respelled),
        Value::Object(entries) => entries.iter_mut().all(|(_, value)| respelled(value)),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// The one spelling of a number.
///
/// `None` of one that is too large for an `f64`.
pub fn spelled(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let is_short = text.parse::<u64>().is_ok() || text.parse::<i64>().is_ok();
    if is_short && text != "-0" {
        return Some(text);
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then(|| Cow::Owned(format!("{value:?}")))
}

/// A text that need not be allocated where it is a word of JSON Schema: most of a schema's keys are.
fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    match word(&text) {
        Some(word) => Cow::Borrowed(word),
        None => Cow::Owned(text.into_owned()),
    }
}

/// The keyword or the name of a type.
fn word(text: &str) -> Option<&'static str> {
    let mut types = TYPES.into_iter();
    let keyword = Keyword::of(text).map(Keyword::as_str);
    keyword.or_else(|| types.find(|name| *name == text))
}

/// The value that `serde_json` holds. The keys are in the order of the alphabet: their own order depends
/// on how `serde_json` was built.
pub(crate) fn of_value(value: &serde_json::Value) -> Ordered {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => {
            match (number.as_u128(), number.as_i128(), number.as_f64()) {
                (Some(value), _, _) => value.into(),
                (None, Some(value), _) => value.into(),
                (None, None, value) => value.unwrap_or(0.0).into(),
            }
        }
        serde_json::Value::String(text) => Value::String(own(text.into())),
        serde_json::Value::Array(items) => Value::Array(items.iter().map(of_value).collect()),
        serde_json::Value::Object(entries) => {
            let entries = entries.iter();
            let mut entries: Vec<_> = entries
                .map(|(key, value)| (own(key.into()), of_value(value)))
                .collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(entries)
        }
    }
}
