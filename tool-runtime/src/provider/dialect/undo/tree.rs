//! A JSON text taken apart, its numbers as they are spelled.

use std::borrow::Cow;

use toolwright_json::{Place, write_string};

use crate::schema::decode::{Error, Json, Store};

/// A JSON value.
pub(super) enum Tree<'t> {
    /// A string, and how it is written.
    String {
        text: Cow<'t, str>,
        written: &'t str,
    },
    /// A number or a word, as it is written.
    Other(&'t str),
    Array(Vec<Tree<'t>>),
    Object(Vec<Entry<'t>>),
}

pub(super) struct Entry<'t> {
    pub(super) key: Cow<'t, str>,
    pub(super) value: Tree<'t>,
}

impl<'t> Tree<'t> {
    pub(super) fn read(text: &'t str, store: &'t Store) -> Result<Self, Error> {
        let mut json = Json::new(text, store);
        let tree = Self::value(&mut json)?;
        json.finish()?;
        Ok(tree)
    }

    fn value(json: &mut Json<'t>) -> Result<Self, Error> {
        let mut place = Place::Opened;
        match json.peek() {
            Some(b'[') => {
                json.enter_array()?;
                let mut items = Vec::new();
                while json.next_element(&mut place)? {
                    items.push(Self::value(json)?);
                }
                Ok(Self::Array(items))
            }
            Some(b'{') => {
                json.enter_object()?;
                let mut entries = Vec::new();
                while let Some(key) = json.next_key(&mut place)? {
                    let value = Self::value(json)?;
                    entries.push(Entry {
                        key: Cow::Borrowed(key),
                        value,
                    });
                }
                Ok(Self::Object(entries))
            }
            Some(b'"') => {
                let start = json.offset();
                let text = match json.string()? {
                    Ok(text) => Cow::Borrowed(text),
                    Err(text) => Cow::Owned(text),
                };
                let written = json.slice(start, json.offset());
                Ok(Self::String { text, written })
            }
            _ => json.skip().map(Self::Other),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Other("null"))
    }

    pub(super) fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::String { written, .. } => out.push_str(written),
            Self::Other(written) => out.push_str(written),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(entries) => {
                out.push('{');
                for (index, entry) in entries.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_string(out, &entry.key);
                    out.push(':');
                    entry.value.write(out);
                }
                out.push('}');
            }
        }
    }
}
