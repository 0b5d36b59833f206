//! Compares schemas: whether what one admits is admitted by another, and a value that shows that it is not.
//!
//! It reads the text of JSON Schema, in `const` and at run time alike.

mod finding;
mod fingerprint;
mod json;
mod number;
mod relation;
mod rules;
mod tree;
mod verdict;
mod witness;

use self::json::{Parts, equal};

pub use self::finding::{Change, Finding, Findings};
pub use self::fingerprint::Fingerprint;
pub use self::relation::{Answer, Question};
pub use self::tree::{is_opaque, write};
pub use self::verdict::{Comparison, Verdict, compare, compare_output, compared};

/// The members of an object, one by one: keys as they are written, and texts of values.
///
/// What is split off is whole; the rest of the text is looked at when it is asked for.
#[derive(Debug, Clone)]
pub struct Members<'t>(Parts<'t>);

impl<'t> Members<'t> {
    /// The members of a value. Of one that is no object there are none.
    pub const fn of(object: &'t str) -> Self {
        Self(Parts::of(object.as_bytes()))
    }

    /// The members in a text behind the bracket.
    pub const fn inside(text: &'t [u8]) -> Self {
        Self(Parts::of_one(text))
    }

    /// Returns the text that is left.
    pub const fn rest(&self) -> &'t [u8] {
        self.0.rest()
    }

    /// Splits the first off.
    pub const fn split(&self) -> Option<(&'t str, &'t str, Self)> {
        let Some((key, value, rest)) = self.0.member() else {
            return None;
        };
        match (std::str::from_utf8(key), std::str::from_utf8(value)) {
            (Ok(key), Ok(value)) => Some((key, value, Self(rest))),
            _ => None,
        }
    }
}

impl<'t> Iterator for Members<'t> {
    type Item = (&'t str, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value, rest) = self.split()?;
        *self = rest;
        Some((key, value))
    }
}

/// Returns the text of the value behind a key of an object.
pub const fn value_of<'t>(object: &'t str, key: &str) -> Option<&'t str> {
    let mut members = Members::of(object);
    while let Some((name, value, rest)) = members.split() {
        if equal(name.as_bytes(), key.as_bytes()) {
            return Some(value);
        }
        members = rest;
    }
    None
}
