//! The keywords of one schema.

use std::borrow::Cow;

use crate::schema::read::{Ordered, Pair};

/// Where a keyword stands among those of a schema; others stand behind these, as they came.
fn place(keyword: &str) -> usize {
    match keyword {
        "$ref" => 0,
        "anyOf" => 1,
        "allOf" => 2,
        "type" => 3,
        "nullable" => 4,
        "enum" => 5,
        "items" => 6,
        "prefixItems" => 7,
        "minItems" => 8,
        "maxItems" => 9,
        "uniqueItems" => 10,
        "minimum" => 11,
        "exclusiveMinimum" => 12,
        "maximum" => 13,
        "exclusiveMaximum" => 14,
        "multipleOf" => 15,
        "not" => 16,
        "minLength" => 17,
        "maxLength" => 18,
        "pattern" => 19,
        "format" => 20,
        "propertyNames" => 21,
        "patternProperties" => 22,
        "description" => 23,
        "default" => 24,
        "properties" => 25,
        "required" => 26,
        "propertyOrdering" => 27,
        "additionalProperties" => 28,
        "$defs" => 29,
        _ => OTHERS,
    }
}

const OTHERS: usize = usize::MAX;

/// The keywords of one schema.
#[derive(Debug, Clone, Default)]
pub(super) struct Keywords(pub(super) Vec<Pair>);

impl Keywords {
    pub(super) fn of<const N: usize>(entries: [(&'static str, Ordered); N]) -> Self {
        Self(entries.map(|(key, value)| (key.into(), value)).into())
    }

    pub(super) fn get(&self, key: &str) -> Option<&Ordered> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Ordered> {
        let found = self.0.iter_mut().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Ordered> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    pub(super) fn set(&mut self, key: impl Into<Cow<'static, str>>, value: Ordered) {
        let key = key.into();
        match self.get_mut(&key) {
            Some(old) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Ordered::as_str)
    }

    /// The elements of an array.
    pub(super) fn list(&self, key: &str) -> Option<&[Ordered]> {
        match self.get(key) {
            Some(Ordered::Array(items)) => Some(items),
            _ => None,
        }
    }

    /// The entries of an object.
    pub(super) fn entries(&self, key: &str) -> Option<&[Pair]> {
        match self.get(key) {
            Some(Ordered::Object(entries)) => Some(entries),
            _ => None,
        }
    }

    /// A number that counts.
    pub(super) fn count(&self, key: &str) -> Option<u128> {
        self.get(key)?.as_u128()
    }

    /// The types that are named.
    pub(super) fn types(&self) -> Vec<&str> {
        match self.get("type") {
            Some(Ordered::String(name)) => vec![name],
            Some(Ordered::Array(names)) => names.iter().filter_map(Ordered::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a key of an object must be there.
    pub(super) fn requires(&self, name: &str) -> bool {
        let names = self.list("required").unwrap_or_default();
        names.iter().any(|known| known.as_str() == Some(name))
    }

    /// Appends `words` to the description, in brackets.
    pub(super) fn tell(&mut self, words: &str) {
        let own = self.text("description").unwrap_or_default();
        let text = with_words(own, words);
        self.set("description", Ordered::string(text));
    }

    /// An object whose keys stay in this order.
    pub(super) fn into_entries(self) -> Ordered {
        Ordered::Object(self.0)
    }

    /// The schema, its keywords in order.
    pub(super) fn into_schema(mut self) -> Ordered {
        let place = |(key, _): &Pair| place(key);
        // Most stand in order already.
        if !self.0.is_sorted_by_key(place) {
            self.0.sort_by_cached_key(place);
        }
        Ordered::Object(self.0)
    }
}

/// A description with what a dialect is told in words.
pub(super) fn with_words(own: &str, words: &str) -> String {
    if own.is_empty() {
        format!("[{words}]")
    } else {
        format!("{own} [{words}]")
    }
}

/// A string.
pub(super) fn text(text: impl Into<Cow<'static, str>>) -> Ordered {
    Ordered::String(text.into())
}

/// The schema of one type alone.
pub(super) fn typed(name: &'static str) -> Ordered {
    Keywords::of([("type", text(name))]).into_schema()
}

/// Whether a schema admits `null` and nothing else.
pub(super) fn is_null(schema: &Ordered) -> bool {
    schema.get("type").and_then(Ordered::as_str) == Some("null")
}

/// What is known of JSON Schema; all else is somebody's own.
pub(super) fn is_known(keyword: &str) -> bool {
    place(keyword) != OTHERS || super::lower::TOLD.contains(&keyword)
}
