//! A JSON text taken apart.

mod serde;

use std::borrow::Cow;

use crate::decimal::Decimal;
use crate::number::Integer;
use crate::scan::{Error, Place, Scanner};
use crate::string::write_string;
use crate::write::{write_key, write_list, write_object};

/// A JSON value whose objects keep their order and equal keys, and whose numbers keep their spelling, whatever features
/// `serde_json` has in this build: its own values are sorted without one feature, its numbers are maps with another, and
/// without a third its parser misses the last bit of a decimal.
///
/// Two values are equal if they mean the same: `1` is `1.0`, and the order of an object's keys is nothing.
///
/// ```
/// use toolwright_json::Value;
///
/// let value = Value::parse(r#"{"b": 1.50, "a": ["\u0041"]}"#)?;
/// assert_eq!(value.get("a").map(|a| a.items()[0].as_str()), Some(Some("A")));
/// assert_eq!(value.to_json(), r#"{"b":1.50,"a":["A"]}"#);
/// assert_eq!(value, Value::parse(r#"{"a": ["A"], "b": 15e-1}"#)?);
/// # Ok::<(), toolwright_json::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub enum Value<'t> {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it is spelled.
    Number(Cow<'t, str>),
    /// A string, borrowed where it has no escapes.
    String(Cow<'t, str>),
    /// An array.
    Array(Vec<Value<'t>>),
    /// An object; keys may stand twice.
    Object(Vec<(Cow<'t, str>, Value<'t>)>),
}

/// How a sorted text spells numbers.
#[derive(Clone, Copy)]
enum Numbers {
    AsWritten,
    ByValue,
}

impl<'t> Value<'t> {
    /// Reads JSON text.
    ///
    /// # Errors
    /// The text is no JSON, or nests deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    pub fn parse(text: &'t str) -> Result<Self, Error> {
        let mut scanner = Scanner::new(text);
        let value = Self::read(&mut scanner)?;
        scanner.finish()?;
        Ok(value)
    }

    /// Reads the next value of a text.
    ///
    /// # Errors
    /// As with [`parse`](Self::parse).
    pub fn read(scanner: &mut Scanner<'t>) -> Result<Self, Error> {
        let mut place = Place::Opened;
        match scanner.peek() {
            Some(b'[') => {
                scanner.open()?;
                let mut items = Vec::new();
                while scanner.next_element(&mut place)? {
                    items.push(Self::read(scanner)?);
                }
                Ok(Self::Array(items))
            }
            Some(b'{') => {
                scanner.open()?;
                let mut entries = Vec::new();
                while let Some(key) = scanner.next_key(&mut place)? {
                    entries.push((key, Self::read(scanner)?));
                }
                Ok(Self::Object(entries))
            }
            Some(b'"') => scanner.string().map(Self::String),
            // One of these words, or a number, or an error.
            first => scanner.skip().map(|text| match first {
                Some(b'n') => Self::Null,
                Some(b't') => Self::Bool(true),
                Some(b'f') => Self::Bool(false),
                _ => Self::Number(Cow::Borrowed(text)),
            }),
        }
    }

    /// An object without keys.
    pub const fn empty() -> Self {
        Self::Object(Vec::new())
    }

    /// A string.
    pub fn string(text: impl Into<Cow<'t, str>>) -> Self {
        Self::String(text.into())
    }

    /// A number, written as `text` spells it.
    pub fn number(text: impl Into<Cow<'t, str>>) -> Self {
        Self::Number(text.into())
    }

    /// An object of these entries.
    pub fn object<K: Into<Cow<'t, str>>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        let entries = entries.into_iter();
        Self::Object(entries.map(|(key, value)| (key.into(), value)).collect())
    }

    /// Takes all values under a key out of an object.
    pub fn remove(&mut self, key: &str) {
        if let Self::Object(entries) = self {
            entries.retain(|(name, _)| name != key);
        }
    }

    /// Whether it is a number that is spelled as an integer: `3`, and not `3.0`.
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Number(text) if !text.contains(['.', 'e', 'E']))
    }

    /// The value under a key of an object: the first, if it stands there twice.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let (_, value) = self.entries().iter().find(|(name, _)| name == key)?;
        Some(value)
    }

    /// The entries of an object; none of anything else.
    pub fn entries(&self) -> &[(Cow<'t, str>, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of an array; none of anything else.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The exact value of a number.
    pub fn as_decimal(&self) -> Option<Decimal<'_>> {
        match self {
            Self::Number(text) => Decimal::of(text),
            _ => None,
        }
    }

    /// The value of a number that is an integer in any spelling.
    pub fn as_integer(&self) -> Option<Integer> {
        self.as_decimal()?.to_integer()
    }

    /// The value of a number that is an integer of zero or more, if 128 bits hold it.
    pub fn as_u128(&self) -> Option<u128> {
        match self.as_integer()? {
            Integer::Unsigned(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a number that is an integer, if 128 bits and a sign hold it.
    pub fn as_i128(&self) -> Option<i128> {
        match self.as_integer()? {
            Integer::Unsigned(value) => i128::try_from(value).ok(),
            Integer::Signed(value) => Some(value),
            Integer::Huge => None,
        }
    }

    /// The float that is nearest to a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value with texts of its own.
    pub fn into_owned(self) -> Value<'static> {
        let owned = |text: Cow<'t, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(text) => Value::Number(owned(text)),
            Self::String(text) => Value::String(owned(text)),
            Self::Array(items) => Value::Array(items.into_iter().map(Value::into_owned).collect()),
            Self::Object(entries) => {
                let entries = entries.into_iter();
                let entries = entries.map(|(key, value)| (owned(key), value.into_owned()));
                Value::Object(entries.collect())
            }
        }
    }

    /// Appends the compact text, numbers as they are spelled.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Array(items) => write_list(out, items, |out, item| item.write(out)),
            Self::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| (&**key, value));
                write_object(out, entries, |out, value| value.write(out));
            }
            scalar => scalar.write_scalar(out, Numbers::AsWritten),
        }
    }

    fn write_scalar(&self, out: &mut String, numbers: Numbers) {
        match (self, numbers) {
            (Self::Null, _) => out.push_str("null"),
            (Self::Bool(value), _) => out.push_str(if *value { "true" } else { "false" }),
            (Self::String(text), _) => write_string(out, text),
            (Self::Number(text), Numbers::ByValue) if let Some(number) = Decimal::of(text) => {
                number.write_key(out);
            }
            (Self::Number(text), _) => out.push_str(text),
            (Self::Array(_) | Self::Object(_), _) => {}
        }
    }

    /// The compact text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// The text for people: a line for each entry.
    pub fn to_lines(&self) -> String {
        let mut out = String::new();
        self.write_lines(&mut out, 0);
        out
    }

    fn write_lines(&self, out: &mut String, depth: usize) {
        let new_line = |out: &mut String, depth: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        };
        let comma = |index: usize| if index > 0 { "," } else { "" };
        match self {
            Self::Array(items) if !items.is_empty() => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(comma(index));
                    new_line(out, depth + 1);
                    item.write_lines(out, depth + 1);
                }
                new_line(out, depth);
                out.push(']');
            }
            Self::Object(entries) if !entries.is_empty() => {
                out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    out.push_str(comma(index));
                    new_line(out, depth + 1);
                    write_string(out, key);
                    out.push_str(": ");
                    value.write_lines(out, depth + 1);
                }
                new_line(out, depth);
                out.push('}');
            }
            other => other.write(out),
        }
    }

    /// Appends the compact text with the keys of objects in order, and numbers as they are spelled. Equal keys keep theirs.
    pub fn write_sorted(&self, out: &mut String) {
        self.sorted(out, Numbers::AsWritten);
    }

    /// Appends a text that equal values have in common and others have not. It need not be JSON.
    pub fn write_identity(&self, out: &mut String) {
        self.sorted(out, Numbers::ByValue);
    }

    fn sorted(&self, out: &mut String, numbers: Numbers) {
        match self {
            Self::Array(items) => write_list(out, items, |out, item| item.sorted(out, numbers)),
            Self::Object(entries) => {
                out.push('{');
                for (key, value) in sorted(entries) {
                    write_key(out, key);
                    value.sorted(out, numbers);
                }
                out.push('}');
            }
            scalar => scalar.write_scalar(out, numbers),
        }
    }
}

/// Entries in the order of their keys; equal keys keep theirs.
fn sorted<'v, 't>(entries: &'v [(Cow<'t, str>, Value<'t>)]) -> Vec<&'v (Cow<'t, str>, Value<'t>)> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    sorted
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b || Decimal::of(a) == Decimal::of(b),
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => {
                let keys_in_order = || {
                    a.iter()
                        .map(|(key, _)| key)
                        .eq(b.iter().map(|(key, _)| key))
                };
                a.len() == b.len()
                    && if keys_in_order() {
                        a == b
                    } else {
                        sorted(a) == sorted(b)
                    }
            }
            _ => false,
        }
    }
}

impl Eq for Value<'_> {}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u128> for Value<'_> {
    fn from(value: u128) -> Self {
        Self::Number(value.to_string().into())
    }
}

impl From<i128> for Value<'_> {
    fn from(value: i128) -> Self {
        Self::Number(value.to_string().into())
    }
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        u128::from(value).into()
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        i128::from(value).into()
    }
}

/// The shortest digits that mean this number, with a point or an exponent; `null` if it is not finite.
impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Number(format!("{value:?}").into())
        } else {
            Self::Null
        }
    }
}

impl<'t> From<&'t str> for Value<'t> {
    fn from(text: &'t str) -> Self {
        Self::String(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::String(Cow::Owned(text))
    }
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_json())
    }
}

#[cfg(test)]
mod tests;
