//! Writing JSON: text out of text, so that what came raw goes on raw.

use toolwright_json::write_string;

use super::declared::Declared;

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
pub(crate) fn joined<'i>(items: impl Iterator<Item = &'i str> + Clone) -> String {
    let len: usize = items.clone().map(|item| item.len() + 1).sum();
    let mut out = String::with_capacity(len + 2);
    out.push('[');
    for (index, item) in items.enumerate() {
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
        Self::sized(256)
    }

    /// One of about so many bytes.
    pub(super) fn sized(bytes: usize) -> Self {
        let mut out = String::with_capacity(bytes);
        out.push('{');
        Self(out)
    }

    fn key(&mut self, key: &str) -> &mut String {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        write_string(&mut self.0, key);
        self.0.push(':');
        &mut self.0
    }

    /// A string.
    pub(super) fn text(mut self, key: &str, text: &str) -> Self {
        write_string(self.key(key), text);
        self
    }

    /// A string, if there is one.
    pub(super) fn maybe_text(self, key: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(key, text),
            None => self,
        }
    }

    /// JSON text, if there is any.
    pub(super) fn maybe_json(self, key: &str, json: Option<&str>) -> Self {
        match json {
            Some(json) => self.json(key, json),
            None => self,
        }
    }

    /// JSON text.
    pub(super) fn json(mut self, key: &str, json: &str) -> Self {
        self.key(key).push_str(json);
        self
    }

    /// An object inside.
    pub(super) fn object(mut self, key: &str, fill: impl FnOnce(Self) -> Self) -> Self {
        self.key(key).push('{');
        let mut filled = fill(self);
        filled.0.push('}');
        filled
    }

    /// The schema of a tool's arguments.
    pub(super) fn schema(mut self, key: &str, tool: &Declared<'_>) -> Self {
        tool.write_schema(self.key(key));
        self
    }

    /// The schema with the widths of Rust's numbers.
    pub(super) fn full_schema(mut self, key: &str, tool: &Declared<'_>) -> Self {
        tool.write_full_schema(self.key(key));
        self
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}
