use std::borrow::Cow;

use toolwright_json as json;

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

impl From<&json::Value<'_>> for Value {
    fn from(value: &json::Value<'_>) -> Self {
        match value {
            json::Value::Null => Self::Null,
            json::Value::Bool(value) => Self::Bool(*value),
            json::Value::Number(text) => Self::Number(text.to_string()),
            json::Value::String(text) => Self::String(text.to_string()),
            json::Value::Array(items) => {
                Self::Array(items.iter().map(|item| Self::from(item).into()).collect())
            }
            json::Value::Object(entries) => {
                let entry = |(key, value): &(Cow<'_, str>, json::Value<'_>)| {
                    (Key::new(&**key), Self::from(value).into())
                };
                Self::Object(entries.iter().map(entry).collect())
            }
        }
    }
}

impl Value {
    /// Returns true if both are the same JSON value, however they are spelled.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }

    fn to_json(&self) -> json::Value<'_> {
        match self {
            Self::Null => json::Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Number(text) => json::Value::number(&**text),
            Self::String(text) => json::Value::string(&**text),
            Self::Array(items) => {
                json::Value::Array(items.iter().map(|item| item.value.to_json()).collect())
            }
            Self::Object(entries) => {
                let entries = entries.iter();
                json::Value::object(entries.map(|(key, item)| (&*key.name, item.value.to_json())))
            }
        }
    }
}
