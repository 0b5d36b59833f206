//! JSON values that keep the order of objects and the spelling of scalars.
//!
//! Definitions and arguments pass through it, so the order of keys and the spelling of numbers survive.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
pub(crate) use toolwright_json::{list, quoted};
use toolwright_json::{write_list, write_object, write_string};

/// Maximal nesting that is parsed, since parsing is recursive. Deeper values are kept as text.
const MAX_DEPTH: usize = 128;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object. Keys may repeat.
    Object(Vec<(String, Json)>),
    /// Any other value, as JSON text.
    Raw(String),
}

impl Json {
    /// Parses JSON text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::read_at(text, 0)
    }

    /// Parses the first level. Nested values are kept as text.
    pub(crate) fn read_flat(text: &str) -> Option<Self> {
        Self::read_at(text, MAX_DEPTH)
    }

    fn read_at(text: &str, depth: usize) -> Option<Self> {
        let inner = |raw: &RawValue| {
            if depth < MAX_DEPTH {
                Self::read_at(raw.get(), depth + 1)
            } else {
                Some(Self::Raw(raw.get().to_owned()))
            }
        };
        let text = text.trim_matches([' ', '\t', '\n', '\r']);
        match text.as_bytes().first()? {
            b'{' => {
                let entries = entries(text)?.into_iter();
                let entries = entries.map(|(key, raw)| Some((key, inner(raw)?)));
                Some(Self::Object(entries.collect::<Option<_>>()?))
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                Some(Self::Array(
                    items.into_iter().map(inner).collect::<Option<_>>()?,
                ))
            }
            // A string with a lone surrogate is JSON, and no Rust string.
            b'"' => match serde_json::from_str(text) {
                Ok(string) => Some(Self::Text(string)),
                Err(_) => raw(text),
            },
            _ => raw(text),
        }
    }

    /// The compact text; scalars as they came.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// Returns indented JSON text, one entry per line.
    pub(crate) fn to_lines(&self) -> String {
        let mut out = String::new();
        self.write_lines(&mut out, 0);
        out
    }

    fn write_lines(&self, out: &mut String, depth: usize) {
        let new_line = |out: &mut String, depth: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match self {
            Self::Array(items) if !items.is_empty() => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    new_line(out, depth + 1);
                    item.write_lines(out, depth + 1);
                }
                new_line(out, depth);
                out.push(']');
            }
            Self::Object(entries) if !entries.is_empty() => {
                out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
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

    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => write_string(out, text),
            Self::Raw(text) => out.push_str(text),
            Self::Array(items) => write_list(out, items, |out, item| item.write(out)),
            Self::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.as_str(), value));
                write_object(out, entries, |out, value| value.write(out));
            }
        }
    }
}

fn raw(text: &str) -> Option<Json> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    Some(Json::Raw(raw.get().to_owned()))
}

/// Returns the text of an object with members that are JSON texts.
pub(crate) fn object<'v>(members: impl IntoIterator<Item = (&'v str, Cow<'v, str>)>) -> String {
    let mut out = String::new();
    write_object(&mut out, members, |out, value| out.push_str(&value));
    out
}

/// Parses an object's entries in order, repeated keys included. A map would lose both.
fn entries(text: &str) -> Option<Vec<(String, &RawValue)>> {
    struct EntryVisitor;

    impl<'de> Visitor<'de> for EntryVisitor {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = Vec::new();
            while let Some(entry) = map.next_entry()? {
                found.push(entry);
            }
            Ok(found)
        }
    }

    let mut json = serde_json::Deserializer::from_str(text);
    let found = json.deserialize_map(EntryVisitor).ok()?;
    json.end().ok()?;
    Some(found)
}
