//! Writing JSON: text out of text, so that what came raw goes on raw.

use crate::schema::write_json_string;

/// The text of an array.
pub(super) fn list(items: impl IntoIterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

/// The text of an array of many long texts.
pub(super) fn joined(items: &[&str]) -> String {
    let len: usize = items.iter().map(|item| item.len() + 1).sum();
    let mut out = String::with_capacity(len + 2);
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(item);
    }
    out.push(']');
    out
}

/// An object, key by key in this order.
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        let mut out = String::with_capacity(256);
        out.push('{');
        Self(out)
    }

    fn key(&mut self, key: &str) -> &mut String {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_json_string(&mut self.0, key);
        self.0.push(':');
        &mut self.0
    }

    /// A string.
    pub(super) fn text(mut self, key: &str, text: &str) -> Self {
        write_json_string(self.key(key), text);
        self
    }

    /// JSON text.
    pub(super) fn json(mut self, key: &str, json: &str) -> Self {
        self.key(key).push_str(json);
        self
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_json_string(&mut out, text);
    out
}
