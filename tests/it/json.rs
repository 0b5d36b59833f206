//! JSON whose objects keep their order, whatever features `serde_json` has in this build.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use toolwright::args::Repairs;
use toolwright::{Context, ToolCall, ToolError, Toolset};

/// A JSON value; a number, a string or a word as `serde_json` knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Leaf(serde_json::Value),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn read(text: &str) -> Self {
        match text.trim_start().as_bytes()[0] {
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).unwrap();
                Self::Array(items.iter().map(|item| Self::read(item.get())).collect())
            }
            b'{' => {
                let Entries(entries) = serde_json::from_str(text).unwrap();
                let read = |(key, raw): (String, Box<RawValue>)| (key, Self::read(raw.get()));
                Self::Object(entries.into_iter().map(read).collect())
            }
            _ => Self::Leaf(serde_json::from_str(text).unwrap()),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let found = self.entries().iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub(crate) fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Self::Leaf(value)) => value.as_str().unwrap_or_default(),
            _ => "",
        }
    }

    /// The value with the keys of its objects by the alphabet, but for those of `properties`: only
    /// their order means something. What `required` lists is a set.
    pub(crate) fn comparable(&self) -> Self {
        self.sorted(false)
    }

    /// The same, where no order of keys means anything.
    pub(crate) fn unordered(&self) -> Self {
        match self {
            Self::Object(entries) => {
                let entry = |(key, value): &(String, Self)| (key.clone(), value.unordered());
                let mut entries: Vec<_> = entries.iter().map(entry).collect();
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                Self::Object(entries)
            }
            Self::Array(items) => Self::Array(items.iter().map(Self::unordered).collect()),
            leaf @ Self::Leaf(_) => leaf.clone(),
        }
    }

    fn sorted(&self, are_names: bool) -> Self {
        match self {
            Self::Object(entries) => {
                let entry = |(key, value): &(String, Self)| {
                    let mut value = value.sorted(key == "properties" && !are_names);
                    if let ("required", Self::Array(names)) = (key.as_str(), &mut value) {
                        names.sort_by_key(|name| format!("{name:?}"));
                    }
                    (key.clone(), value)
                };
                let mut entries: Vec<_> = entries.iter().map(entry).collect();
                if !are_names {
                    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                }
                Self::Object(entries)
            }
            Self::Array(items) => {
                Self::Array(items.iter().map(|item| item.sorted(false)).collect())
            }
            leaf @ Self::Leaf(_) => leaf.clone(),
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(value) => write!(f, "{value}"),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::to_string).collect();
                write!(f, "[{}]", items.join(","))
            }
            Self::Object(entries) => {
                let key = |key: &str| serde_json::Value::from(key);
                let entry = |(name, value): &(String, Self)| format!("{}:{value}", key(name));
                let entries: Vec<_> = entries.iter().map(entry).collect();
                write!(f, "{{{}}}", entries.join(","))
            }
        }
    }
}

struct Entries(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// Checks a text that no model wrote, which is never repaired.
pub(crate) trait CheckText {
    fn check_text(&self, tool: &str, text: impl AsRef<str>) -> Result<(), ToolError>;
}

impl CheckText for Toolset {
    fn check_text(&self, tool: &str, text: impl AsRef<str>) -> Result<(), ToolError> {
        let cx = Context::new().with_repairs(Repairs::None);
        self.validate(&ToolCall::new("", tool, text.as_ref()), &cx)
    }
}
