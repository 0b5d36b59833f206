//! Objects whose values stay the texts that they are.

use std::borrow::Cow;
use std::collections::HashSet;

use toolwright_json::{Error, Place, Scanner};

/// So many entries are compared with one another.
const FEW: usize = 16;

/// Entries of a JSON object, in their order. Values are JSON texts. No key is there twice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields<'t>(Vec<(Cow<'t, str>, &'t str)>);

/// Why a text is not an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FieldsError {
    /// It is not JSON.
    Json(Error),
    /// It is another value.
    NotAnObject,
    /// A key is there more than once.
    Twice(String),
}

impl From<Error> for FieldsError {
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

impl<'t> Fields<'t> {
    /// Reads a text that is one object.
    pub(crate) fn of(text: &'t str) -> Result<Self, FieldsError> {
        let mut scanner = Scanner::lossy(text);
        if scanner.peek() != Some(b'{') {
            scanner.skip()?;
            scanner.finish()?;
            return Err(FieldsError::NotAnObject);
        }
        let fields = Self::read(&mut scanner)?;
        scanner.finish()?;
        Ok(fields)
    }

    /// Reads the object that stands next.
    pub(crate) fn read(scanner: &mut Scanner<'t>) -> Result<Self, FieldsError> {
        let (mut fields, mut seen) = (Vec::new(), HashSet::new());
        let mut place = Place::Opened;
        scanner.open()?;
        while let Some(key) = scanner.next_key(&mut place)? {
            let value = scanner.skip()?;
            if !falls_together(&key, &mut seen) {
                fields.push((key, value));
            }
        }
        let fields = Self(fields);
        match fields.twice() {
            Some(key) => Err(FieldsError::Twice(key.to_owned())),
            None => Ok(fields),
        }
    }

    fn twice(&self) -> Option<&str> {
        let keys = || self.0.iter().map(|(key, _)| &**key);
        if self.0.len() > FEW {
            let mut seen = HashSet::new();
            return keys().find(|key| !seen.insert(*key));
        }
        let mut keys = keys().enumerate();
        let is_before =
            |at: usize, key: &str| self.0.iter().take(at).any(|(other, _)| other == key);
        keys.find(|(at, key)| is_before(*at, key))
            .map(|(_, key)| key)
    }

    /// The JSON text of a value. `null` is a value.
    pub(crate) fn json(&self, key: &str) -> Option<&'t str> {
        let entry = self.0.iter().find(|(name, _)| name == key);
        entry.map(|(_, json)| *json)
    }

    /// The same, where `null` is none.
    pub(crate) fn some(&self, key: &str) -> Option<&'t str> {
        self.json(key).filter(|json| *json != "null")
    }

    /// The text of a string. `None` if there is none, or it is not a string.
    pub(crate) fn text(&self, key: &str) -> Option<Cow<'t, str>> {
        string(self.some(key)?)
    }

    /// The same for people and models: half of a surrogate pair is U+FFFD.
    pub(crate) fn lossy_text(&self, key: &str) -> Option<Cow<'t, str>> {
        lossy_string(self.some(key)?)
    }

    /// The entries of an object. `None` if there is none, or it is not an object.
    pub(crate) fn object(&self, key: &str) -> Option<Self> {
        Self::of(self.some(key)?).ok()
    }

    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.json(key) == Some("true")
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'t str)> {
        self.0.iter().map(|(key, json)| (&**key, *json))
    }
}

/// Returns true for a key that equals one of the object before it, since a half of a surrogate pair was replaced in it.
pub(super) fn falls_together(key: &str, seen: &mut HashSet<String>) -> bool {
    key.contains(char::REPLACEMENT_CHARACTER) && !seen.insert(key.to_owned())
}

/// The text of a JSON string. Half of a surrogate pair is U+FFFD.
pub(crate) fn lossy_string(json: &str) -> Option<Cow<'_, str>> {
    let mut scanner = Scanner::lossy(json);
    (scanner.peek() == Some(b'"')).then(|| scanner.string().ok())?
}

/// The text of a JSON string. `None` if it holds half of a surrogate pair: an id with U+FFFD would be another one.
pub(crate) fn string(json: &str) -> Option<Cow<'_, str>> {
    if !json.starts_with('"') {
        return None;
    }
    let mut scanner = Scanner::new(json);
    scanner.string().ok()
}

#[cfg(test)]
mod tests {
    use super::{Fields, FieldsError};

    #[test]
    fn values_stay_as_they_were_written() {
        let fields = Fields::of(r#" {"a" : 1.50 , "\u0062": {"x": [1,2]}, "c": null} "#);
        let fields = fields.unwrap_or_default();
        let all: Vec<_> = fields.iter().collect();
        let expected = [("a", "1.50"), ("b", r#"{"x": [1,2]}"#), ("c", "null")];
        assert_eq!(all, expected);
        assert_eq!((fields.json("c"), fields.some("c")), (Some("null"), None));
    }

    #[test]
    fn no_key_is_there_twice() {
        let twice = |key: &str| Some(FieldsError::Twice(key.to_owned()));
        assert_eq!(Fields::of(r#"{"a":1,"\u0061":1}"#).err(), twice("a"));
        let many: Vec<_> = (0..100_000).map(|n| format!("\"{n}\":0")).collect();
        let many = |last: &str| format!("{{{},\"{last}\":1}}", many.join(","));
        assert_eq!(Fields::of(&many("7")).err(), twice("7"));
        assert!(Fields::of(&many("x")).is_ok());
        assert_eq!(Fields::of("[1]").err(), Some(FieldsError::NotAnObject));
        assert!(matches!(Fields::of("{").err(), Some(FieldsError::Json(_))));
    }
}
