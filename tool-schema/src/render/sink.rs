//! The text of a schema, piece by piece.

use std::fmt::Write as _;

use toolwright_json::{write_comma, write_key, write_string};

use crate::keyword::Keyword;
use crate::read::Ordered;

/// A schema's text. A value follows a key, or [`element`](Self::element).
pub(super) struct SchemaText(pub(super) String);

impl SchemaText {
    pub(super) fn open_object(&mut self) {
        self.0.push('{');
    }

    pub(super) fn close_object(&mut self) {
        self.0.push('}');
    }

    pub(super) fn open_array(&mut self) {
        self.0.push('[');
    }

    pub(super) fn close_array(&mut self) {
        self.0.push(']');
    }

    /// A keyword, in which nothing has to be escaped.
    pub(super) fn key(&mut self, keyword: Keyword) {
        write_comma(&mut self.0);
        self.0.push('"');
        self.0.push_str(keyword.as_str());
        self.0.push_str("\":");
    }

    /// A key that somebody named.
    pub(super) fn name(&mut self, name: &str) {
        write_key(&mut self.0, name);
    }

    /// Begins the next element of an array.
    pub(super) fn element(&mut self) {
        write_comma(&mut self.0);
    }

    pub(super) fn string(&mut self, text: &str) {
        write_string(&mut self.0, text);
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.0.push_str(if value { "true" } else { "false" });
    }

    pub(super) fn integer(&mut self, is_negative: bool, magnitude: u128) {
        if is_negative {
            self.0.push('-');
        }
        match u8::try_from(magnitude) {
            Ok(digit @ 0..=9) => self.0.push(char::from(b'0' + digit)),
            // Writing to a string cannot fail.
            _ => drop(write!(self.0, "{magnitude}")),
        }
    }

    /// The text of a JSON value.
    pub(super) fn json(&mut self, text: &str) {
        self.0.push_str(text);
    }

    pub(super) fn value(&mut self, value: &Ordered) {
        value.write(&mut self.0);
    }
}
