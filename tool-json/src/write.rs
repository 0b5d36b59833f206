//! Writers of JSON text. Parts that are JSON already are copied as text.

use std::borrow::Borrow;

use crate::string::write_string;

/// Appends a comma, unless an array or object has just been opened.
#[inline]
pub fn write_comma(out: &mut String) {
    // A string ends with a quote, so a bracket at the end is an opening one.
    if !matches!(out.as_bytes().last(), None | Some(b'{' | b'[')) {
        out.push(',');
    }
}

/// Appends a key and its colon, after a comma if one is needed.
pub fn write_key(out: &mut String, key: &str) {
    write_comma(out);
    write_string(out, key);
    out.push(':');
}

/// Appends an array. `write` appends each element.
pub fn write_list<I: IntoIterator>(
    out: &mut String,
    items: I,
    mut write: impl FnMut(&mut String, I::Item),
) {
    out.push('[');
    for item in items {
        write_comma(out);
        write(out, item);
    }
    out.push(']');
}

/// Appends an object. `write` appends each value.
pub fn write_object<K: Borrow<str>, V>(
    out: &mut String,
    entries: impl IntoIterator<Item = (K, V)>,
    mut write: impl FnMut(&mut String, V),
) {
    out.push('{');
    for (key, value) in entries {
        write_key(out, key.borrow());
        write(out, value);
    }
    out.push('}');
}

/// Returns an array of elements that are JSON texts.
pub fn list<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let mut out = String::new();
    write_list(&mut out, items, |out, item| out.push_str(item.as_ref()));
    out
}

/// Returns an object of values that are JSON texts.
pub fn object<K: Borrow<str>, V: AsRef<str>>(entries: impl IntoIterator<Item = (K, V)>) -> String {
    let mut out = String::new();
    write_object(&mut out, entries, |out, value| out.push_str(value.as_ref()));
    out
}

/// Returns an array of long JSON texts, with one allocation.
pub fn joined<'i>(items: impl Iterator<Item = &'i str> + Clone) -> String {
    let len: usize = items.clone().map(|item| item.len() + 1).sum();
    let mut out = String::with_capacity(len + 2);
    write_list(&mut out, items, String::push_str);
    out
}

/// Builder of an object's text, key by key in this order.
///
/// ```
/// use toolwright_json::ObjectWriter;
///
/// let text = ObjectWriter::new()
///     .text("name", "Tromsø")
///     .json("at", "[69.6,18.9]")
///     .object("more", |more| more.json("snow", "true"));
/// assert_eq!(text.end(), r#"{"name":"Tromsø","at":[69.6,18.9],"more":{"snow":true}}"#);
/// ```
#[derive(Debug, Clone)]
pub struct ObjectWriter(String);

impl Default for ObjectWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectWriter {
    /// Creates an object without keys.
    pub fn new() -> Self {
        Self::sized(256)
    }

    /// Creates an object with a capacity of about `bytes` bytes.
    pub fn sized(bytes: usize) -> Self {
        let mut out = String::with_capacity(bytes);
        out.push('{');
        Self(out)
    }

    /// Adds a value that `write` appends.
    pub fn with(mut self, key: &str, write: impl FnOnce(&mut String)) -> Self {
        write_key(&mut self.0, key);
        write(&mut self.0);
        self
    }

    /// Adds a string.
    pub fn text(self, key: &str, text: &str) -> Self {
        self.with(key, |out| write_string(out, text))
    }

    /// Adds a string, if there is one.
    pub fn maybe_text(self, key: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(key, text),
            None => self,
        }
    }

    /// Adds a JSON text, if there is one.
    pub fn maybe_json(self, key: &str, json: Option<&str>) -> Self {
        match json {
            Some(json) => self.json(key, json),
            None => self,
        }
    }

    /// Adds a JSON text.
    pub fn json(self, key: &str, json: &str) -> Self {
        self.with(key, |out| out.push_str(json))
    }

    /// Adds a nested object.
    pub fn object(mut self, key: &str, fill: impl FnOnce(Self) -> Self) -> Self {
        write_key(&mut self.0, key);
        self.0.push('{');
        let mut filled = fill(self);
        filled.0.push('}');
        filled
    }

    /// Returns the text of the object.
    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{ObjectWriter, joined, list, object, write_list, write_object, write_string};

    #[test]
    fn commas_stand_between_and_nowhere_else() {
        assert_eq!(list::<&str>([]), "[]");
        assert_eq!(list(["[]", "{}", "\"[\"", "1"]), r#"[[],{},"[",1]"#);
        assert_eq!(joined(["1", "2"].into_iter()), "[1,2]");
        assert_eq!(object([("a", "1"), ("b", "[]")]), r#"{"a":1,"b":[]}"#);
        assert_eq!(ObjectWriter::new().end(), "{}");
        let text = ObjectWriter::new()
            .object("{", |inner| inner)
            .text("a\"", "{")
            .maybe_text("no", None)
            .maybe_text("b", Some("["));
        assert_eq!(text.end(), r#"{"{":{},"a\"":"{","b":"["}"#);
        let mut out = String::from("x:");
        write_object(&mut out, [("k", ["a", "b"])], |out, items| {
            write_list(out, items, write_string);
        });
        assert_eq!(out, r#"x:{"k":["a","b"]}"#);
    }
}
