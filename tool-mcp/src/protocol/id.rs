//! Ids of requests.

use std::borrow::Cow;
use std::fmt;

use toolwright_json::{Integer, Scanner, write_string};

/// Id of a request: a string or an integer, as JSON. Ids of one value are equal, however they were written.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Id(Box<str>);

impl Id {
    /// Reads a JSON value. `None` if it is neither a string nor an integer.
    pub(crate) fn read(json: &str) -> Option<Self> {
        if !json.starts_with('"') {
            return Self::integer(json);
        }
        // Most have no escapes, and are written as they came.
        if !json.contains('\\') {
            return Some(Self(json.into()));
        }
        let text = Scanner::new(json).string().ok()?;
        let mut id = String::with_capacity(json.len());
        write_string(&mut id, &text);
        Some(Self(id.into()))
    }

    /// Languages with one kind of number write an integer as `7.0`.
    fn integer(json: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_digit();
        if json.len() < 18 && json.bytes().all(is_plain) {
            return Some(Self(json.into()));
        }
        let id = match Integer::of(json)? {
            Integer::Unsigned(id) => id.to_string(),
            Integer::Signed(id) => id.to_string(),
            Integer::Huge => return None,
        };
        Some(Self(id.into()))
    }

    /// The JSON text.
    pub(crate) fn as_json(&self) -> &str {
        &self.0
    }

    /// A number of ours. Some servers send numbers back as strings.
    pub(crate) fn as_number(&self) -> Option<u64> {
        self.0.trim_matches('"').parse().ok()
    }

    /// The string, or the digits.
    pub(crate) fn to_text(&self) -> Cow<'_, str> {
        if !self.0.starts_with('"') {
            return Cow::Borrowed(&self.0);
        }
        // It was written by this module.
        Scanner::new(&self.0).string().unwrap_or_default()
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn an_id_is_a_string_or_an_integer_in_any_spelling() {
        let table = [
            ("7", Some("7")),
            ("-0", Some("0")),
            ("7.0", Some("7")),
            ("-7e1", Some("-70")),
            ("12345678901234567890", Some("12345678901234567890")),
            (r#""\u0041\"""#, Some(r#""A\"""#)),
            (r#""é""#, Some(r#""é""#)),
            ("1.5", None),
            ("null", None),
            ("[7]", None),
            ("true", None),
        ];
        for (json, id) in table {
            let read = Id::read(json);
            assert_eq!(read.as_ref().map(Id::as_json), id, "{json}");
        }
    }
}
