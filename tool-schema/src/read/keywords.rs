//! The keywords of one schema, to be changed.

use std::borrow::Cow;

use toolwright_json::Value;

use super::parts::Parts;
use super::{Ordered, Pair};
use crate::keyword::Keyword;

/// The keywords of one schema.
#[derive(Debug, Clone, Default)]
pub struct Keywords(pub Vec<Pair>);

impl Parts<'static> for Keywords {
    fn pairs(&self) -> &[Pair] {
        &self.0
    }
}

impl From<Keyword> for Cow<'static, str> {
    fn from(keyword: Keyword) -> Self {
        Self::Borrowed(keyword.as_str())
    }
}

impl Keywords {
    pub fn of<const N: usize>(entries: [(Keyword, Ordered); N]) -> Self {
        Self(entries.map(|(key, value)| (key.into(), value)).into())
    }

    /// The value of a keyword, which may be somebody's own.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Ordered> {
        let found = self.0.iter_mut().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub fn schema_mut(&mut self, keyword: Keyword) -> Option<&mut Ordered> {
        self.get_mut(keyword.as_str())
    }

    /// The list behind a keyword.
    pub fn list_mut(&mut self, keyword: Keyword) -> Option<&mut Vec<Ordered>> {
        match self.get_mut(keyword.as_str()) {
            Some(Ordered::Array(items)) => Some(items),
            _ => None,
        }
    }

    pub fn take(&mut self, keyword: Keyword) -> Option<Ordered> {
        self.take_own(keyword.as_str())
    }

    /// Takes out a keyword, which may be somebody's own.
    pub fn take_own(&mut self, key: &str) -> Option<Ordered> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// Removes the list behind a keyword.
    pub fn take_list(&mut self, keyword: Keyword) -> Vec<Ordered> {
        match self.take(keyword) {
            Some(Ordered::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    pub fn set(&mut self, key: impl Into<Cow<'static, str>>, value: Ordered) {
        let key = key.into();
        match self.get_mut(&key) {
            Some(old) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// Appends `words` to the description, in brackets.
    pub fn append_to_description(&mut self, words: &str) {
        let text = with_words(self.description(), words);
        self.set(Keyword::Description, Ordered::string(text));
    }

    /// The schema, its keywords in order.
    pub fn into_schema(mut self) -> Ordered {
        let place = |(key, _): &Pair| Keyword::place(key);
        // Most are in order already.
        if !self.0.is_sorted_by_key(place) {
            self.0.sort_by_cached_key(place);
        }
        Ordered::Object(self.0)
    }
}

/// Returns a description with the rules that a dialect can only state in words.
pub(crate) fn with_words(own: &str, words: &str) -> String {
    if own.is_empty() {
        format!("[{words}]")
    } else {
        format!("{own} [{words}]")
    }
}

/// Returns a string.
pub fn text(text: impl Into<Cow<'static, str>>) -> Ordered {
    Ordered::String(text.into())
}

/// The schema of one type alone.
pub fn typed(name: &'static str) -> Ordered {
    Keywords::of([(Keyword::Type, text(name))]).into_schema()
}

/// A reference.
pub(crate) fn reference(target: impl Into<Cow<'static, str>>) -> Ordered {
    Keywords::of([(Keyword::Ref, text(target))]).into_schema()
}

/// A union of these members.
pub fn union(members: Vec<Ordered>) -> Keywords {
    Keywords::of([(Keyword::AnyOf, Ordered::Array(members))])
}

/// The type of a value: of a whole number `integer`, which is one of the numbers too.
pub fn type_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        value if value.is_integer() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns true if a schema admits `null` and nothing else.
pub fn is_null(schema: &Ordered) -> bool {
    schema.is_only("null")
}
