//! A parsed JSON text.

mod serde;

pub use self::serde::deserialize_text;

use std::borrow::Cow;

use crate::decimal::Decimal;
use crate::number::Integer;
use crate::scan::{Error, Place, Scanner};
use crate::string::write_string;
use crate::write::{write_key, write_list, write_object};

/// A JSON value that does not depend on features of `serde_json`. Objects keep their order and repeated keys, and
/// numbers keep their spelling. The values of `serde_json` are sorted without one feature, and represent numbers as
/// maps with another. Without a third, its parser loses the last bit of a decimal.
///
/// Two values are equal if they mean the same: `1` equals `1.0`, and the order of keys does not matter.
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
    /// A number, as it is written.
    Number(Cow<'t, str>),
    /// A string, borrowed if it has no escapes.
    String(Cow<'t, str>),
    /// An array.
    Array(Vec<Value<'t>>),
    /// An object. Keys may repeat.
    Object(Vec<(Cow<'t, str>, Value<'t>)>),
}

/// Spelling of numbers in a sorted text.
#[derive(Clone, Copy)]
enum Numbers {
    AsWritten,
    ByValue,
}

impl<'t> Value<'t> {
    /// Parses JSON text.
    ///
    /// # Errors
    /// Fails if the text is not JSON, or nests deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    pub fn parse(text: &'t str) -> Result<Self, Error> {
        let mut scanner = Scanner::new(text);
        let value = Self::read(&mut scanner)?;
        scanner.finish()?;
        Ok(value)
    }

    /// Reads the next value from a scanner.
    ///
    /// # Errors
    /// See [`parse`](Self::parse).
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
            // A word, a number, or an error.
            first => scanner.skip().map(|text| match first {
                Some(b'n') => Self::Null,
                Some(b't') => Self::Bool(true),
                Some(b'f') => Self::Bool(false),
                _ => Self::Number(Cow::Borrowed(text)),
            }),
        }
    }

    /// Creates an empty object.
    pub const fn empty() -> Self {
        Self::Object(Vec::new())
    }

    /// Creates a string.
    pub fn string(text: impl Into<Cow<'t, str>>) -> Self {
        Self::String(text.into())
    }

    /// Creates a number with this spelling.
    pub fn number(text: impl Into<Cow<'t, str>>) -> Self {
        Self::Number(text.into())
    }

    /// Creates an object with these entries.
    pub fn object<K: Into<Cow<'t, str>>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        let entries = entries.into_iter();
        Self::Object(entries.map(|(key, value)| (key.into(), value)).collect())
    }

    /// Removes all values under a key of an object.
    pub fn remove(&mut self, key: &str) {
        if let Self::Object(entries) = self {
            entries.retain(|(name, _)| name != key);
        }
    }

    /// Returns true for a number that is spelled as an integer: `3`, and not `3.0`.
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Number(text) if !text.contains(['.', 'e', 'E']))
    }

    /// Returns the first value under a key of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let (_, value) = self.entries().iter().find(|(name, _)| name == key)?;
        Some(value)
    }

    /// Returns the value that a JSON pointer (RFC 6901) leads to, such as `/paths/~1orders/get`. Of repeated keys it follows
    /// the first. An empty pointer is the value itself.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut steps = pointer.strip_prefix('/')?.split('/');
        steps.try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value {
                Self::Array(items) => {
                    let is_index = step == "0" || !step.starts_with(['0', '+']);
                    items.get(step.parse::<usize>().ok().filter(|_| is_index)?)
                }
                value => value.get(&step),
            }
        })
    }

    /// Returns the entries of an object, or none for any other value.
    pub fn entries(&self) -> &[(Cow<'t, str>, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the elements of an array, or none for any other value.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// Returns the string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the exact value of a number.
    pub fn as_decimal(&self) -> Option<Decimal<'_>> {
        match self {
            Self::Number(text) => Decimal::of(text),
            _ => None,
        }
    }

    /// Returns the value of a number that is an integer in any spelling.
    pub fn as_integer(&self) -> Option<Integer> {
        self.as_decimal()?.to_integer()
    }

    /// Returns the value of a non-negative integer of up to 128 bits, in any spelling.
    pub fn as_u128(&self) -> Option<u128> {
        match self.as_integer()? {
            Integer::Unsigned(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value of an integer that fits into `i128`, in any spelling.
    pub fn as_i128(&self) -> Option<i128> {
        match self.as_integer()? {
            Integer::Unsigned(value) => i128::try_from(value).ok(),
            Integer::Signed(value) => Some(value),
            Integer::Huge => None,
        }
    }

    /// Returns the float nearest to a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns true for `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Converts to a value with owned texts.
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

    /// Appends compact text, with numbers as they are written.
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

    /// Returns compact text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// Returns indented text, one entry per line.
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

    /// Appends compact text with the keys of objects sorted, and numbers as they are written. Repeated keys keep their
    /// order.
    pub fn write_sorted(&self, out: &mut String) {
        self.sorted(out, Numbers::AsWritten);
    }

    /// Appends a text that is the same for equal values only. It may not be JSON.
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

/// Returns the entries sorted by key. Repeated keys keep their order.
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

/// Writes the shortest digits that give this number, with a point or an exponent. A number that is not finite becomes
/// `null`.
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
