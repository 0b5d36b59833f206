//! From the tree to JSON Schema text (draft 2020-12).
//!
//! The writer is our own, so that the bytes depend on the tree alone: not on how `serde_json`
//! orders a map in this build.

use std::borrow::Cow;

use super::Int;
use super::fields::{self, Alternative, Key};
use super::narrow::{Bare, bare};
#[cfg(feature = "schemars")]
use super::ordered::Ordered;
use super::shape::{
    Array, Back, Edge, Foreign, Id, IntegerRange, Kind, Map, NumberRange, Shape, StringRules,
    Union, Variant,
};

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
}

/// Integers as keys, as `json::key` reads them: one spelling a number.
pub(super) const UNSIGNED_KEY: &str = "^([1-9][0-9]*|0)$";
pub(super) const SIGNED_KEY: &str = "^(-?[1-9][0-9]*|0)$";

/// The JSON Schema of a shape.
pub(crate) fn render(shape: &'static Shape, side: Side, detail: Detail) -> String {
    let mut writer = Writer {
        out: String::with_capacity(256),
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
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|char: char| char < ' ' || char == '"' || char == '\\') {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = from.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
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
struct Definition {
    name: String,
    /// Its identity, if it is one of ours.
    hash: u64,
    body: Body,
    /// The text that came from elsewhere.
    source: String,
}

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
        } = bare(shape, self.side == Side::Output);
        let target = match kind {
            Kind::Back(Back { id, shape }) => Some((id, shape())),
            _ if is_root => None,
            _ => self.recursive_layer(shape).map(|layer| (layer.id, layer)),
        };
        if let Kind::Foreign(foreign) = kind {
            self.foreign(&foreign, nullable, is_root, words);
            return;
        }
        self.out.push('{');
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

    fn kind(&mut self, kind: &Kind, nullable: bool) {
        match kind {
            Kind::Null => self.type_name("null", false),
            Kind::Bool => self.type_name("boolean", nullable),
            Kind::Integer(range) => {
                self.type_name("integer", nullable);
                self.integer(range);
            }
            Kind::Number(range) => {
                self.type_name("number", nullable);
                self.number(range);
            }
            Kind::String(rules) => {
                self.type_name("string", nullable);
                self.string(rules);
            }
            Kind::Enum(variants) => {
                self.type_name("string", nullable);
                self.key("enum");
                self.names(variants, nullable);
            }
            Kind::Array(array) => {
                self.type_name("array", nullable);
                self.array(array);
            }
            Kind::Tuple(items) => {
                self.type_name("array", nullable);
                // A list of no schemas is no valid keyword.
                if !items.is_empty() {
                    self.key("prefixItems");
                    self.out.push('[');
                    for (index, item) in items.iter().enumerate() {
                        self.comma(index);
                        self.schema(item, &Words::default());
                    }
                    self.out.push(']');
                    self.entry("minItems", items.len());
                }
                self.entry("maxItems", items.len());
            }
            Kind::Map(map) => {
                self.type_name("object", nullable);
                self.map(map);
            }
            Kind::Union(union) => self.union(union, nullable),
            // An object's keys are not written here, and the layers are off.
            Kind::Object(_)
            | Kind::Any
            | Kind::Unknown
            | Kind::Nullable(_)
            | Kind::Narrow(..)
            | Kind::Sides { .. }
            | Kind::Foreign(_)
            | Kind::Back(_) => {}
        }
    }

    fn names(&mut self, variants: &[Variant], nullable: bool) {
        self.out.push('[');
        for (index, variant) in variants.iter().enumerate() {
            self.comma(index);
            let name = match self.side {
                Side::Input => variant.name,
                Side::Output => variant.output_name,
            };
            write_json_string(&mut self.out, name);
        }
        if nullable {
            self.comma(variants.len());
            self.out.push_str("null");
        }
        self.out.push(']');
    }

    fn integer(&mut self, range: &IntegerRange) {
        let told = self.detail == Detail::Full || !range.is_width;
        if told || range.min.is_zero() {
            self.entry("minimum", range.min);
        }
        if told {
            self.entry("maximum", range.max);
        }
        if range.multiple_of > 0 {
            self.entry("multipleOf", range.multiple_of);
        }
        if range.not_zero && range.min <= Int::unsigned(0) && range.max >= Int::unsigned(0) {
            self.key("not");
            self.out.push_str("{\"enum\":[0]}");
        }
    }

    fn number(&mut self, range: &NumberRange) {
        // Every JSON number that a parser can hold is an `f64`, so only `f32` says more.
        let width = (self.detail == Detail::Full && range.width < f64::MAX).then_some(range.width);
        match range.min {
            Some(edge) => self.edge("minimum", "exclusiveMinimum", &edge),
            None => {
                if let Some(width) = width {
                    self.entry("minimum", format_args!("{:e}", -width));
                }
            }
        }
        match range.max {
            Some(edge) => self.edge("maximum", "exclusiveMaximum", &edge),
            None => {
                if let Some(width) = width {
                    self.entry("maximum", format_args!("{width:e}"));
                }
            }
        }
        if let Some(literal) = range.multiple_of {
            self.entry("multipleOf", literal.text);
        }
    }

    fn edge(&mut self, inclusive: &str, exclusive: &str, edge: &Edge) {
        let key = if edge.exclusive { exclusive } else { inclusive };
        self.entry(key, edge.at.text);
    }

    fn string(&mut self, rules: &StringRules) {
        self.lengths(rules.min_len, rules.max_len, "minLength", "maxLength");
        if !rules.pattern.is_empty() {
            self.key("pattern");
            write_json_string(&mut self.out, rules.pattern);
        }
        if !rules.format.is_empty() {
            self.key("format");
            write_json_string(&mut self.out, rules.format);
        }
    }

    fn lengths(&mut self, min: u64, max: Option<u64>, min_key: &str, max_key: &str) {
        if min > 0 {
            self.entry(min_key, min);
        }
        if let Some(max) = max {
            self.entry(max_key, max);
        }
    }

    fn array(&mut self, array: &Array) {
        self.key("items");
        self.schema(array.items, &Words::default());
        self.lengths(array.min_len, array.max_len, "minItems", "maxItems");
        if array.unique {
            self.entry("uniqueItems", true);
        }
    }

    fn map(&mut self, map: &Map) {
        match bare(map.keys, self.side == Side::Output).kind {
            Kind::Integer(range) => {
                let pattern = if range.min.negative {
                    SIGNED_KEY
                } else {
                    UNSIGNED_KEY
                };
                self.key("propertyNames");
                self.out.push_str("{\"pattern\":");
                write_json_string(&mut self.out, pattern);
                self.out.push('}');
            }
            // Few keys, and all known: an object that may lack any of them.
            Kind::Enum(variants) => {
                let side = self.side;
                let names = variants.iter().map(|variant| match side {
                    Side::Input => variant.name,
                    Side::Output => variant.output_name,
                });
                return self.closed_map(names, map);
            }
            Kind::Bool => return self.closed_map(["false", "true"].into_iter(), map),
            Kind::String(rules) => {
                let at = self.out.len();
                self.key("propertyNames");
                self.out.push('{');
                let empty = self.out.len();
                self.string(&rules);
                if self.out.len() == empty {
                    self.out.truncate(at);
                } else {
                    self.out.push('}');
                }
            }
            _ => {}
        }
        self.key("additionalProperties");
        self.schema(map.values, &Words::default());
        self.lengths(map.min_len, map.max_len, "minProperties", "maxProperties");
    }

    fn closed_map(&mut self, names: impl Iterator<Item = &'static str>, map: &Map) {
        self.key("properties");
        self.out.push('{');
        for name in names {
            self.key(name);
            self.schema(map.values, &Words::default());
        }
        self.out.push('}');
        self.entry("additionalProperties", false);
        self.lengths(map.min_len, map.max_len, "minProperties", "maxProperties");
    }

    fn union(&mut self, union: &Union, nullable: bool) {
        self.key("anyOf");
        self.out.push('[');
        for (index, member) in union.members.iter().enumerate() {
            self.comma(index);
            self.schema(member, &Words::default());
        }
        if nullable {
            self.comma(union.members.len());
            self.out.push_str("{\"type\":\"null\"}");
        }
        self.out.push(']');
    }

    /// A schema that came from elsewhere, in the same form as ours; its definitions move to ours.
    #[cfg(not(feature = "schemars"))]
    fn foreign(&mut self, _: &Foreign, _: bool, _: bool, words: &Words<'_>) {
        // Nothing makes one without the feature.
        self.out.push('{');
        self.words(words.description, words);
        self.out.push('}');
    }

    /// A schema that came from elsewhere, in the same form as ours; its definitions move to ours.
    #[cfg(feature = "schemars")]
    fn moved(&mut self, foreign: &Foreign, nullable: bool, is_root: bool) -> Ordered {
        let value = match self.side {
            Side::Input => (foreign.input)(),
            Side::Output => (foreign.output)(),
        };
        let (schema, defs) = super::canonical::canonical(
            &value,
            super::canonical::Reading {
                side: self.side,
                detail: self.detail,
                nullable,
                is_root,
            },
        );
        let mut renamed: Vec<(String, String)> = Vec::new();
        let mut new = Vec::new();
        for (name, body) in defs {
            let source = body.to_json();
            // The same type may stand in several places.
            let known = self.defs.iter().find(|def| def.source == source);
            if let Some(known) = known {
                renamed.push((name, known.name.clone()));
                continue;
            }
            let free = self.free_name(&name);
            self.defs.push(Definition {
                name: free.clone(),
                hash: 0,
                body: Body::Text(String::new()),
                source,
            });
            renamed.push((name, free.clone()));
            new.push((free, body));
        }
        for (free, body) in new {
            let text = body.with_references(&renamed).to_json();
            if let Some(def) = self.defs.iter_mut().find(|def| def.name == free) {
                def.body = Body::Text(text);
            }
        }
        schema.with_references(&renamed)
    }

    #[cfg(feature = "schemars")]
    fn foreign(&mut self, foreign: &Foreign, nullable: bool, is_root: bool, words: &Words<'_>) {
        let mut schema = self.moved(foreign, nullable, is_root);
        if !words.description.is_empty() {
            schema.remove("description");
            let after = [
                "deprecated",
                "default",
                "examples",
                "properties",
                "required",
                "additionalProperties",
            ];
            let own = Ordered::String(words.description.to_owned());
            schema.insert_before(&after, "description", own);
        }
        for (key, is_own) in [
            ("default", words.default.is_some()),
            ("examples", words.example.is_some()),
            ("deprecated", words.deprecated),
        ] {
            if is_own {
                schema.remove(key);
            }
        }
        let text = schema.to_json();
        self.out.push_str(text.strip_suffix('}').unwrap_or("{"));
        self.words("", words);
        self.out.push('}');
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
                default: field.default.filter(|_| self.side == Side::Input),
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

    /// Writes the keys of a schema that came from elsewhere in the place of a field. Those that must
    /// be there; `None` if it does not say which keys it has.
    #[cfg(feature = "schemars")]
    fn flattened(&mut self, foreign: &Foreign) -> Option<Vec<String>> {
        let schema = self.moved(foreign, false, true);
        let Some(Ordered::Object(properties)) = schema.get("properties") else {
            return None;
        };
        for (name, value) in properties {
            self.key(name);
            self.out.push_str(&value.to_json());
        }
        let is_closed = schema.get("additionalProperties") == Some(&Ordered::Bool(false));
        let names = match schema.get("required") {
            Some(Ordered::Array(names)) => names
                .iter()
                .filter_map(Ordered::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        is_closed.then_some(names)
    }

    #[cfg(not(feature = "schemars"))]
    fn flattened(&mut self, _: &Foreign) -> Option<Vec<String>> {
        None
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
fn described(words: &str, kind: &Kind) -> String {
    let variants = match kind {
        Kind::Enum(variants) => documented(variants),
        _ => String::new(),
    };
    let gap = if words.is_empty() || variants.is_empty() {
        ""
    } else {
        "\n"
    };
    format!("{words}{gap}{variants}")
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
