//! From the tree to JSON Schema text (draft 2020-12).
//!
//! The writer is our own, so that the bytes depend on the tree alone: not on how `serde_json`
//! orders a map in this build.

#[cfg(feature = "schemars")]
mod foreign;
#[cfg(not(feature = "schemars"))]
#[path = "render/no_foreign.rs"]
mod foreign;
mod kinds;

use std::borrow::Cow;

use std::fmt::Write as _;

use super::fields::{self, Alternative, Key};
use super::narrow::{Bare, bare};
use super::shape::{Back, Id, Kind, Shape, Union, Variant};
use crate::json::plain_run;

/// Which of serde's sides is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// What is read: a key with a default may be missing.
    Input,
    /// What is written: every key is there.
    Output,
}

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All that holds.
    Full,
    /// Without bounds that only repeat how wide a Rust number is.
    Provider,
    /// All that holds, and `writeOnly` at what is secret.
    Marked,
}

/// Integers as keys, as `json::key` reads them: one spelling a number.
pub(crate) const UNSIGNED_KEY: &str = "^([1-9][0-9]*|0)$";
pub(crate) const SIGNED_KEY: &str = "^(-?[1-9][0-9]*|0)$";

/// The JSON Schema of a shape.
pub(crate) fn render(shape: &'static Shape, side: Side, detail: Detail) -> String {
    let mut writer = Writer {
        out: String::with_capacity(512),
        side,
        detail,
        recursive: super::recursion::targets(shape),
        defs: Vec::new(),
        is_root: true,
    };
    writer.schema(shape, &Words::default());
    writer.definitions();
    writer.out
}

/// Appends `text` as a JSON string.
pub(crate) fn write_json_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    loop {
        // What ends a run is ASCII, so that is no character's middle.
        let run = rest.split_at_checked(plain_run(rest.as_bytes(), 0));
        let (plain, from) = run.unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = from.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            None => break,
        }
        rest = chars.as_str();
    }
    out.push('"');
}

/// What a field says beside its type.
#[derive(Default, Clone, Copy)]
struct Words<'f> {
    description: &'f str,
    title: &'f str,
    deprecated: bool,
    default: Option<fn() -> Option<String>>,
    example: Option<fn() -> Option<String>>,
}

/// A type that stands under `$defs`, by its name there.
// Only foreign schemas bring texts.
#[cfg_attr(not(feature = "schemars"), allow(dead_code))]
struct Definition {
    name: String,
    /// Its identity, if it is one of ours.
    hash: u64,
    body: Body,
    /// The text that came from elsewhere.
    source: String,
}

#[cfg_attr(not(feature = "schemars"), allow(dead_code))]
enum Body {
    Shape(&'static Shape),
    Text(String),
}

struct Writer {
    out: String,
    side: Side,
    detail: Detail,
    /// The types that something inside them comes back to.
    recursive: Vec<Id>,
    defs: Vec<Definition>,
    is_root: bool,
}

impl Writer {
    /// One schema. The words of the field that holds it win over the type's own.
    fn schema(&mut self, shape: &'static Shape, words: &Words<'_>) {
        let is_root = std::mem::take(&mut self.is_root);
        let Bare {
            kind,
            nullable,
            description,
            title,
            is_secret,
        } = bare(shape, self.side == Side::Output);
        let target = match kind {
            Kind::Back(Back { id, shape }) => Some((id, shape())),
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
            let ways = match kind {
                Kind::Object(_) => fields::alternatives(&kind, self.side == Side::Output),
                _ => Vec::new(),
            };
            match ways.as_slice() {
                [_] => self.type_name("object", nullable),
                _ => self.kind(&kind, nullable),
            }
            let words = Words {
                title: title.unwrap_or_default(),
                ..*words
            };
            self.words(&described(description.unwrap_or_default(), &kind), &words);
            // The keys stand behind the description, which a reader wants first.
            match ways.as_slice() {
                [] => {}
                [one] => self.keys(one),
                many => self.either(many, nullable),
            }
        }
        self.out.push('}');
    }

    /// The outermost layer of a shape that something inside it comes back to.
    fn recursive_layer(&self, mut shape: &'static Shape) -> Option<&'static Shape> {
        loop {
            if self.recursive.contains(&shape.id) {
                return Some(shape);
            }
            shape = match shape.kind {
                Kind::Nullable(inner) | Kind::Narrow(inner, _) => inner,
                Kind::Union(Union { members: [one], .. }) => one,
                Kind::Sides { input, output } => match self.side {
                    Side::Input => input,
                    Side::Output => output,
                },
                _ => return None,
            };
        }
    }

    fn reference(&mut self, id: Id, target: &'static Shape, nullable: bool) {
        let name = self.defined(id, target);
        if nullable {
            self.key("anyOf");
            self.out.push_str("[{");
        }
        self.key("$ref");
        write_json_string(&mut self.out, &format!("#/$defs/{name}"));
        if nullable {
            self.out.push_str("},{\"type\":\"null\"}]");
        }
    }

    /// The name under which a type stands in `$defs`.
    fn defined(&mut self, id: Id, shape: &'static Shape) -> String {
        if let Some(known) = self.defs.iter().find(|def| def.hash == id.hash) {
            return known.name.clone();
        }
        let name = self.free_name(id.name);
        self.defs.push(Definition {
            name: name.clone(),
            hash: id.hash,
            body: Body::Shape(shape),
            source: String::new(),
        });
        name
    }

    /// The name, or the name with the first number that makes it new.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| self.defs.iter().any(|def| def.name == name);
        if !taken(name) {
            return name.to_owned();
        }
        let mut number = 2;
        loop {
            let name = format!("{name}{number}");
            if !taken(&name) {
                return name;
            }
            number += 1;
        }
    }

    /// The types that something comes back to; writing one may bring others.
    fn definitions(&mut self) {
        if self.defs.is_empty() {
            return;
        }
        // Behind the root's last key.
        self.out.pop();
        self.key("$defs");
        self.out.push('{');
        let mut written = 0;
        while let Some(def) = self.defs.get(written) {
            let name = def.name.clone();
            let body = match &def.body {
                Body::Shape(shape) => Ok(*shape),
                Body::Text(text) => Err(text.clone()),
            };
            self.key(&name);
            match body {
                Ok(shape) => {
                    self.is_root = true;
                    self.schema(shape, &Words::default());
                }
                Err(text) => self.out.push_str(&text),
            }
            written += 1;
        }
        self.out.push_str("}}");
    }

    fn key(&mut self, key: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        write_json_string(&mut self.out, key);
        self.out.push(':');
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
    }

    fn entry(&mut self, key: &str, value: impl std::fmt::Display) {
        use std::fmt::Write as _;
        self.key(key);
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{value}");
    }

    fn type_name(&mut self, name: &str, nullable: bool) {
        self.key("type");
        if nullable {
            self.out.push('[');
        }
        write_json_string(&mut self.out, name);
        if nullable {
            self.out.push_str(",\"null\"]");
        }
    }

    /// An object that may be in several ways.
    fn either(&mut self, ways: &[Alternative], nullable: bool) {
        self.key("anyOf");
        self.out.push('[');
        for (index, one) in ways.iter().enumerate() {
            self.comma(index);
            self.out.push('{');
            self.type_name("object", false);
            self.keys(one);
            self.out.push('}');
        }
        if nullable {
            self.comma(ways.len());
            self.out.push_str("{\"type\":\"null\"}");
        }
        self.out.push(']');
    }

    fn keys(&mut self, object: &Alternative) {
        self.key("properties");
        self.out.push('{');
        let mut required: Vec<Cow<'static, str>> = Vec::new();
        let mut is_open = false;
        for Key {
            name,
            field,
            required: is_required,
            ..
        } in &object.keys
        {
            if let (true, Kind::Foreign(foreign)) = (
                field.flatten,
                bare(field.shape, self.side == Side::Output).kind,
            ) {
                let names = self.flattened(&foreign);
                is_open |= names.is_none();
                if *is_required {
                    required.extend(names.into_iter().flatten().map(Cow::Owned));
                }
                continue;
            }
            if *is_required {
                required.push(Cow::Borrowed(name));
            }
            self.key(name);
            let words = Words {
                description: field.description,
                title: field.title,
                deprecated: field.deprecated,
                default: field.told_default().filter(|_| self.side == Side::Input),
                example: field.example,
            };
            self.schema(field.shape, &words);
        }
        self.out.push('}');
        if !required.is_empty() {
            self.key("required");
            self.out.push('[');
            for (index, name) in required.iter().enumerate() {
                self.comma(index);
                write_json_string(&mut self.out, name);
            }
            self.out.push(']');
        }
        match object.rest {
            Some(values) => {
                self.key("additionalProperties");
                self.schema(values, &Words::default());
            }
            None if object.open || is_open => {}
            None => self.entry("additionalProperties", false),
        }
    }

    fn words(&mut self, description: &str, words: &Words<'_>) {
        if !words.title.is_empty() {
            self.key("title");
            write_json_string(&mut self.out, words.title);
        }
        if !description.is_empty() {
            self.key("description");
            write_json_string(&mut self.out, description);
        }
        if words.deprecated {
            self.entry("deprecated", true);
        }
        if let Some(json) = words.default.and_then(|json| json()) {
            self.entry("default", json);
        }
        if let Some(json) = words.example.and_then(|json| json()) {
            self.entry("examples", format_args!("[{json}]"));
        }
    }
}

/// The description; what the strings of an enum mean is folded into it, since a schema that says it
/// beside each string (`oneOf` of `const`s) is refused by some providers.
fn described<'w>(words: &'w str, kind: &Kind) -> Cow<'w, str> {
    let variants = match kind {
        Kind::Enum(variants) => documented(variants),
        _ => String::new(),
    };
    match (words.is_empty(), variants.is_empty()) {
        (_, true) => Cow::Borrowed(words),
        (true, false) => Cow::Owned(variants),
        (false, false) => Cow::Owned(format!("{words}\n{variants}")),
    }
}

fn documented(variants: &[Variant]) -> String {
    let lines = variants
        .iter()
        .filter(|variant| !variant.description.is_empty())
        .map(|variant| {
            let words: Vec<_> = variant.description.split_whitespace().collect();
            format!("- `{}`: {}", variant.name, words.join(" "))
        });
    lines.collect::<Vec<_>>().join("\n")
}
