//! Sinks that a schema is written to: a text, or a value.

use std::borrow::Cow;
use std::fmt::Write as _;

use toolwright_json::{write_comma, write_key, write_string};

use crate::keyword::Keyword;
use crate::read::{Ordered, owned, read, spelled};

/// Takes a schema piece by piece. A value stands behind a key, or behind [`element`](Self::element).
pub(super) trait Sink {
    fn open_object(&mut self);
    fn close_object(&mut self);
    fn open_array(&mut self);
    fn close_array(&mut self);
    /// A keyword, in which nothing has to be escaped.
    fn key(&mut self, keyword: Keyword);
    /// A key that somebody named.
    fn name(&mut self, name: Cow<'static, str>);
    /// Begins the next element of an array.
    fn element(&mut self);
    fn string(&mut self, text: Cow<'static, str>);
    fn bool(&mut self, value: bool);
    fn integer(&mut self, is_negative: bool, magnitude: u128);
    /// The text of a JSON value.
    fn json(&mut self, text: &str);
    fn value(&mut self, value: Ordered);
}

impl Sink for String {
    fn open_object(&mut self) {
        self.push('{');
    }

    fn close_object(&mut self) {
        self.push('}');
    }

    fn open_array(&mut self) {
        self.push('[');
    }

    fn close_array(&mut self) {
        self.push(']');
    }

    fn key(&mut self, keyword: Keyword) {
        write_comma(self);
        self.push('"');
        self.push_str(keyword.as_str());
        self.push_str("\":");
    }

    fn name(&mut self, name: Cow<'static, str>) {
        write_key(self, &name);
    }

    fn element(&mut self) {
        write_comma(self);
    }

    fn string(&mut self, text: Cow<'static, str>) {
        write_string(self, &text);
    }

    fn bool(&mut self, value: bool) {
        self.push_str(if value { "true" } else { "false" });
    }

    fn integer(&mut self, is_negative: bool, magnitude: u128) {
        if is_negative {
            self.push('-');
        }
        match u8::try_from(magnitude) {
            Ok(digit @ 0..=9) => self.push(char::from(b'0' + digit)),
            // Writing to a string cannot fail.
            _ => drop(write!(self, "{magnitude}")),
        }
    }

    fn json(&mut self, text: &str) {
        self.push_str(text);
    }

    fn value(&mut self, value: Ordered) {
        value.write(self);
    }
}

/// Builds the value that [`read`] makes of the text.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) root: Ordered,
    /// The objects and arrays that are being written, each inside the one before it.
    open: Vec<Ordered>,
    /// The keys whose values are still to come.
    keys: Vec<Cow<'static, str>>,
}

impl Builder {
    fn close(&mut self) {
        if let Some(value) = self.open.pop() {
            self.add(value);
        }
    }

    fn add(&mut self, value: Ordered) {
        match self.open.last_mut() {
            Some(Ordered::Object(entries)) => {
                entries.push((self.keys.pop().unwrap_or_default(), value));
            }
            Some(Ordered::Array(items)) => items.push(value),
            _ => self.root = value,
        }
    }
}

impl Sink for Builder {
    fn open_object(&mut self) {
        self.open.push(Ordered::empty());
    }

    fn close_object(&mut self) {
        self.close();
    }

    fn open_array(&mut self) {
        self.open.push(Ordered::Array(Vec::new()));
    }

    fn close_array(&mut self) {
        self.close();
    }

    fn key(&mut self, keyword: Keyword) {
        self.keys.push(keyword.into());
    }

    fn name(&mut self, name: Cow<'static, str>) {
        self.keys.push(name);
    }

    fn element(&mut self) {}

    fn string(&mut self, text: Cow<'static, str>) {
        self.add(Ordered::String(text));
    }

    fn bool(&mut self, value: bool) {
        self.add(Ordered::Bool(value));
    }

    fn integer(&mut self, is_negative: bool, magnitude: u128) {
        let number = match (is_negative, magnitude) {
            (false, 0) => Cow::Borrowed("0"),
            (false, 1) => Cow::Borrowed("1"),
            (false, _) => magnitude.to_string().into(),
            (true, _) => format!("-{magnitude}").into(),
        };
        self.add(spelled(number).map_or(Ordered::Null, Ordered::Number));
    }

    fn json(&mut self, text: &str) {
        self.add(read(text).unwrap_or_default());
    }

    fn value(&mut self, value: Ordered) {
        // What came from elsewhere spells its numbers otherwise.
        self.add(owned(value).unwrap_or_default());
    }
}
