use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::decimal::ExactDecimal;
use super::rules::Id;

/// A JSON value as it will be written: numbers keep their spelling, keys may stand twice.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<(Key, Node)>),
}

/// A value, and the rule that it was made by.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) rule: Option<Id>,
    pub(super) value: Value,
}

#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) name: String,
    /// True if it is written with an escape that it does not need.
    pub(super) escaped: bool,
}

impl Key {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            escaped: false,
        }
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        Self { rule: None, value }
    }
}

impl Value {
    /// Reads JSON text.
    pub(super) fn read(text: &str) -> Option<Self> {
        Some(match text.as_bytes().first()? {
            b'n' => Self::Null,
            b't' => Self::Bool(true),
            b'f' => Self::Bool(false),
            b'"' => Self::String(serde_json::from_str(text).ok()?),
            b'[' => Self::Array(
                elements(text)
                    .iter()
                    .map(|item| Self::read(item.get()).map(Node::from))
                    .collect::<Option<_>>()?,
            ),
            b'{' => Self::Object(
                entries(text)
                    .into_iter()
                    .map(|(key, item)| Some((Key::new(key), Self::read(item.get())?.into())))
                    .collect::<Option<_>>()?,
            ),
            _ => Self::Number(text.to_owned()),
        })
    }

    /// Returns true if both are the same JSON value, however they are spelled.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => ExactDecimal::read(a) == ExactDecimal::read(b),
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.value.is_same(&b.value))
            }
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, a)| {
                        b.iter()
                            .any(|(name, b)| name.name == key.name && a.value.is_same(&b.value))
                    })
            }
            _ => false,
        }
    }
}

/// The entries of a JSON object in their order, each value as its text.
pub(super) fn entries(text: &str) -> Vec<(String, &RawValue)> {
    serde_json::from_str(text).map_or_else(|_| Vec::new(), |RawEntries(entries)| entries)
}

/// The elements of a JSON array, each as its text.
pub(super) fn elements(text: &str) -> Vec<&RawValue> {
    serde_json::from_str(text).unwrap_or_default()
}

struct RawEntries<'t>(Vec<(String, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for RawEntries<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor).map(Self)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}
