//! From the tree to JSON Schema text (draft 2020-12).
//!
//! The writer is our own, so that the bytes depend on the tree alone: not on how `serde_json`
//! orders a map in this build.

mod definitions;
mod document;
#[cfg(feature = "schemars")]
mod foreign;
#[cfg(not(feature = "schemars"))]
#[path = "render/no_foreign.rs"]
mod foreign;
mod kinds;
mod words;

use std::borrow::Cow;

use std::fmt::Write as _;

use toolwright_json::{write_comma, write_key, write_list, write_string};

use self::definitions::Definition;
pub use self::document::SchemaDoc;
pub(crate) use self::words::{Words, described};
use crate::shape::{Alternative, Bare, Detail, Id, Key, Kind, Shape, Side, bare, fields};

/// The JSON Schema of a shape.
pub(crate) fn render(shape: &'static Shape<'static>, side: Side, detail: Detail) -> String {
    let mut out = String::with_capacity(512);
    render_into(&mut out, shape, side, detail);
    out
}

/// Appends the JSON Schema of a shape.
pub(crate) fn render_into(
    out: &mut String,
    shape: &'static Shape<'static>,
    side: Side,
    detail: Detail,
) {
    let mut writer = Writer {
        out: std::mem::take(out),
        side,
        detail,
        recursive: crate::shape::targets(shape),
        defs: Vec::new(),
        required: Vec::new(),
        is_root: true,
    };
    writer.schema(shape, &Words::default());
    writer.definitions();
    *out = writer.out;
}

/// Appends a number's digits.
fn push_number(out: &mut String, value: u128) {
    match u8::try_from(value) {
        Ok(digit @ 0..=9) => out.push(char::from(b'0' + digit)),
        // Writing to a string cannot fail.
        _ => drop(write!(out, "{value}")),
    }
}

struct Writer {
    out: String,
    side: Side,
    detail: Detail,
    /// The types that something inside them comes back to.
    recursive: Vec<Id>,
    defs: Vec<Definition>,
    /// The keys that must be there, of the objects that are being written.
    required: Vec<Cow<'static, str>>,
    is_root: bool,
}

impl Writer {
    /// One schema. The words of the field that holds it win over the type's own.
    fn schema(&mut self, shape: &'static Shape<'static>, words: &Words<'_>) {
        let is_root = std::mem::take(&mut self.is_root);
        let Bare {
            kind,
            nullable,
            description,
            title,
            is_secret,
        } = bare(shape, self.side == Side::Output);
        let target = match kind {
            Kind::Back(back) => Some((back.id, back.shape())),
            _ if is_root => None,
            _ => self.recursive_layer(shape).map(|layer| (layer.id, layer)),
        };
        let is_marked = is_secret && self.detail == Detail::Marked;
        if let Kind::Foreign(foreign) = kind {
            if is_marked {
                self.out.push_str("{\"writeOnly\":true,\"allOf\":[");
            }
            self.foreign(&foreign, nullable, is_root && !is_marked, words);
            if is_marked {
                self.out.push_str("]}");
            }
            return;
        }
        self.out.push('{');
        if is_marked {
            self.entry("writeOnly", true);
        }
        if let Some((id, target)) = target {
            self.reference(id, target, nullable);
            self.words(words.description, words);
        } else {
            let own = [words.description, description];
            let description = own.into_iter().find(|text| !text.is_empty());
            let own = [words.title, title];
            let title = own.into_iter().find(|text| !text.is_empty());
            let is_output = self.side == Side::Output;
            // Most objects have their own keys and no others.
            let own_keys = match kind {
                Kind::Object(object) if !object.fields.iter().any(|one| one.flatten) => {
                    Some(object)
                }
                _ => None,
            };
            let ways = match kind {
                Kind::Object(_) if own_keys.is_none() => fields::alternatives(&kind, is_output),
                _ => Vec::new(),
            };
            match ways.as_slice() {
                [] if own_keys.is_none() => self.kind(&kind, nullable),
                [] | [_] => self.type_name("object", nullable),
                _ => {}
            }
            let words = Words {
                title: title.unwrap_or_default(),
                ..*words
            };
            self.words(&described(description.unwrap_or_default(), &kind), &words);
            // The keys stand behind the description, which a reader wants first.
            if let Some(object) = own_keys {
                let keys = object.fields.iter();
                let keys = keys.filter_map(|field| Key::of(field, is_output));
                self.keys(keys, None, object.open);
            }
            match ways.as_slice() {
                [] => {}
                [one] => self.keys(one.keys.iter().copied(), one.rest, one.open),
                many => self.either(many, nullable),
            }
        }
        self.out.push('}');
    }

    /// A keyword, in which nothing has to be escaped.
    fn key(&mut self, key: &'static str) {
        write_comma(&mut self.out);
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    /// A key that somebody named.
    fn name(&mut self, name: &str) {
        write_key(&mut self.out, name);
    }

    /// A keyword that counts.
    fn count(&mut self, key: &'static str, count: u64) {
        self.key(key);
        push_number(&mut self.out, count.into());
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
    }

    fn entry(&mut self, key: &'static str, value: impl std::fmt::Display) {
        use std::fmt::Write as _;
        self.key(key);
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
    }

    fn type_name(&mut self, name: &'static str, nullable: bool) {
        self.key("type");
        let (before, after) = if nullable {
            ("[\"", "\",\"null\"]")
        } else {
            ("\"", "\"")
        };
        for piece in [before, name, after] {
            self.out.push_str(piece);
        }
    }

    /// An object that may be in several ways.
    fn either(&mut self, ways: &[Alternative<'static>], nullable: bool) {
        self.key("anyOf");
        self.out.push('[');
        for (index, one) in ways.iter().enumerate() {
            self.comma(index);
            self.out.push('{');
            self.type_name("object", false);
            self.keys(one.keys.iter().copied(), one.rest, one.open);
            self.out.push('}');
        }
        if nullable {
            self.comma(ways.len());
            self.out.push_str("{\"type\":\"null\"}");
        }
        self.out.push(']');
    }

    fn keys(
        &mut self,
        keys: impl Iterator<Item = Key<'static>>,
        rest: Option<&'static Shape<'static>>,
        mut is_open: bool,
    ) {
        self.key("properties");
        self.out.push('{');
        let mark = self.required.len();
        for Key {
            name,
            field,
            required,
            ..
        } in keys
        {
            if field.flatten
                && let Kind::Foreign(foreign) = bare(field.shape, self.side == Side::Output).kind
            {
                let names = self.flattened(&foreign);
                is_open |= names.is_none();
                if required {
                    let names = names.into_iter().flatten();
                    self.required.extend(names.map(Cow::Owned));
                }
                continue;
            }
            if required {
                self.required.push(Cow::Borrowed(name));
            }
            self.name(name);
            let words = Words::of(field);
            self.schema(
                field.shape,
                &Words {
                    default: words.default.filter(|_| self.side == Side::Input),
                    ..words
                },
            );
        }
        self.out.push('}');
        if self.required.len() > mark {
            self.key("required");
            let names = self.required.drain(mark..);
            write_list(&mut self.out, names, |out, name| write_string(out, &name));
        }
        match rest {
            Some(values) => {
                self.key("additionalProperties");
                self.schema(values, &Words::default());
            }
            None if is_open => {}
            None => self.entry("additionalProperties", "false"),
        }
    }
}
