//! A JSON Schema from elsewhere (schemars), in the form that ours have: definitions inline unless
//! they are recursive, `anyOf` for `oneOf`, one-value enums for constants, exact bounds for Rust's
//! number formats, objects that declare their keys closed, no titles, keys of an object in the order of the alphabet.

mod entries;

use super::ordered::{Ordered, Pair, of_value};
use crate::schema::shape::{Detail, NumberRange, Side};

use entries::Entries;

/// A schema, and the recursive definitions that it refers to.
pub(crate) type Canonical = (Ordered, Vec<Pair>);

/// How a schema is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) side: Side,
    pub(crate) detail: Detail,
    /// `null` is admitted too.
    pub(crate) nullable: bool,
    /// It is a whole schema: a recursive type stands there itself, and not its name.
    pub(crate) is_root: bool,
    /// `{"type": "object"}` is an object without keys, as schemars writes an empty struct.
    pub(crate) closes_bare: bool,
}

/// Brings a schema into canonical form.
pub(crate) fn canonical(schema: &serde_json::Value, reading: Reading) -> Canonical {
    let root = of_value(schema);
    let mut reader = Reader {
        root: match root.get("title").and_then(Ordered::as_str) {
            Some(title) => title.to_owned(),
            None => "Root".to_owned(),
        },
        defs: definitions(&root),
        open: Vec::new(),
        recursive: Vec::new(),
        detail: reading.detail,
        side: reading.side,
        is_closing: true,
        closes_bare: reading.closes_bare,
    };
    let mut schema = reader.schema(&root);
    if reader.recursive.contains(&reader.root) && !reading.is_root {
        let name = format!("#/$defs/{}", reader.root);
        schema = object([("$ref", Ordered::string(name))]);
    }
    if reading.nullable {
        schema = or_null(schema);
    }
    let mut done: Vec<Pair> = Vec::new();
    while let Some(name) = reader
        .recursive
        .iter()
        .find(|name| !done.iter().any(|(known, _)| known == *name))
        .cloned()
    {
        let body = match reader.definition(&name) {
            Some(body) => {
                reader.open.push(name.clone());
                let body = reader.schema(&body);
                reader.open.pop();
                body
            }
            None => Ordered::Object(Vec::new()),
        };
        done.push((name.into(), body));
    }
    let target = schema
        .get("$ref")
        .and_then(Ordered::as_str)
        .unwrap_or_default();
    if reading.is_root
        && let Some((_, body)) = done.iter().find(|(name, _)| reader.short(target) == name)
    {
        schema = body.clone();
    }
    (schema, done)
}

/// The definitions by the reference that names them; the root is `#`.
fn definitions(root: &Ordered) -> Vec<Pair> {
    let mut defs = vec![("#".into(), root.clone())];
    for keyword in ["$defs", "definitions"] {
        if let Some(Ordered::Object(entries)) = root.get(keyword) {
            defs.extend(
                entries
                    .iter()
                    .map(|(name, body)| (format!("#/{keyword}/{name}").into(), body.clone())),
            );
        }
    }
    defs
}

/// A whole schema in canonical form, in which the order of what has none is always the same: so
/// that two that admit the same in the same words are equal.
pub(crate) fn comparable(schema: &serde_json::Value) -> serde_json::Value {
    let reading = Reading {
        side: Side::Input,
        detail: Detail::Full,
        nullable: false,
        is_root: true,
        closes_bare: true,
    };
    let (mut schema, mut defs) = canonical(schema, reading);
    defs.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let (Ordered::Object(entries), false) = (&mut schema, defs.is_empty()) {
        entries.push(("$defs".into(), Ordered::Object(defs)));
    }
    without_order(&mut schema);
    serde_json::from_str(&schema.to_json()).unwrap_or_default()
}

fn without_order(schema: &mut Ordered) {
    match schema {
        Ordered::Array(items) => items.iter_mut().for_each(without_order),
        Ordered::Object(entries) => {
            for (key, value) in entries {
                without_order(value);
                if let ("enum" | "anyOf" | "required" | "type", Ordered::Array(items)) =
                    (key.as_ref(), value)
                {
                    items.sort_by_cached_key(Ordered::to_json);
                }
            }
        }
        _ => {}
    }
}

struct Reader {
    /// The name of the root, where something comes back to it.
    root: String,
    defs: Vec<Pair>,
    /// The definitions that are being read, outermost first.
    open: Vec<String>,
    /// The definitions that something inside them comes back to.
    recursive: Vec<String>,
    detail: Detail,
    side: Side,
    /// Objects are closed here. A part of an object is not: the other parts have keys too.
    is_closing: bool,
    closes_bare: bool,
}

impl Reader {
    fn definition(&self, name: &str) -> Option<Ordered> {
        let reference = |(key, _): &&Pair| self.short(key) == name;
        // The root comes first, and may be no more than a reference to the definition of its name.
        self.defs
            .iter()
            .rfind(reference)
            .map(|(_, body)| body.clone())
    }

    fn schema(&mut self, schema: &Ordered) -> Ordered {
        let Ordered::Object(entries) = schema else {
            return match schema {
                Ordered::Bool(false) => object([("not", Ordered::Object(Vec::new()))]),
                _ => Ordered::Object(Vec::new()),
            };
        };
        let mut out = Entries::default();
        for (key, value) in entries {
            match key.as_ref() {
                "$schema" | "$id" | "$comment" | "$defs" | "definitions" | "title" => {}
                // A side says by itself what is read and written, and what is written has no
                // defaults.
                "readOnly" | "writeOnly" => {}
                "default" if self.side == Side::Output => {}
                "$ref" => self.reference(value, &mut out),
                "const" => out.set("enum", Ordered::Array(vec![value.clone()])),
                "oneOf" | "anyOf" => self.union(value, &mut out),
                "allOf" => {
                    let is_one = matches!(value, Ordered::Array(members) if members.len() == 1);
                    let was = self.is_closing;
                    self.is_closing &= is_one;
                    let members = self.list(value);
                    self.is_closing = was;
                    match <[Ordered; 1]>::try_from(members) {
                        Ok([Ordered::Object(one)]) => out.extend(one),
                        Ok([other]) => out.set("allOf", Ordered::Array(vec![other])),
                        Err(members) => out.set("allOf", Ordered::Array(members)),
                    }
                }
                "format" => self.format(value, &mut out),
                "properties" | "patternProperties" => {
                    let Ordered::Object(entries) = value else {
                        continue;
                    };
                    let entries = entries
                        .iter()
                        .map(|(name, value)| (name.clone(), self.schema(value)))
                        .collect();
                    out.set(key.clone(), Ordered::Object(entries));
                }
                "items" | "not" | "contains" | "propertyNames" => {
                    let value = self.schema(value);
                    out.set(key.clone(), value);
                }
                "additionalProperties" | "unevaluatedProperties" => {
                    let value = match value {
                        Ordered::Bool(false) => Ordered::Bool(false),
                        other => self.schema(other),
                    };
                    out.set(key.clone(), value);
                }
                "prefixItems" => {
                    let members = self.list(value);
                    out.set(key.clone(), Ordered::Array(members));
                }
                _ => out.set(key.clone(), value.clone()),
            }
        }
        // A field's own words stand beside the reference, and win over its type's.
        if let Some(own) = entries.iter().find(|(key, _)| key == "description") {
            out.set("description", own.1.clone());
        }
        out.type_of_enum();
        out.integer_keys();
        out.distributed();
        if self.is_closing {
            out.closed(self.closes_bare);
        }
        out.sorted()
    }

    fn list(&mut self, value: &Ordered) -> Vec<Ordered> {
        match value {
            Ordered::Array(items) => items.iter().map(|item| self.schema(item)).collect(),
            _ => Vec::new(),
        }
    }

    /// A definition stands where it is used, unless it is being read already.
    fn reference(&mut self, target: &Ordered, out: &mut Entries) {
        let reference = target.as_str().unwrap_or_default();
        let name = self.short(reference).to_owned();
        let is_open = self.open.contains(&name) || reference == "#";
        if is_open || self.recursive.contains(&name) {
            if !self.recursive.contains(&name) {
                self.recursive.push(name.clone());
            }
            out.set("$ref", Ordered::string(format!("#/$defs/{name}")));
            return;
        }
        let Some(body) = self.definition(&name) else {
            out.set("$ref", target.clone());
            return;
        };
        self.open.push(name.clone());
        let inline = self.schema(&body);
        self.open.pop();
        if self.recursive.contains(&name) {
            // Something inside came back: it needs a name, here as there.
            out.set("$ref", Ordered::string(format!("#/$defs/{name}")));
        } else if let Ordered::Object(entries) = inline {
            out.extend(entries);
        }
    }

    fn union(&mut self, value: &Ordered, out: &mut Entries) {
        let members = self.list(value);
        if let Some(strings) = strings(&members) {
            out.set("type", Ordered::string("string"));
            let (names, words): (Vec<_>, Vec<_>) = strings.into_iter().unzip();
            let lines: Vec<_> = names
                .iter()
                .zip(words)
                .filter_map(|(name, words)| {
                    let words: Vec<_> = words?.split_whitespace().map(str::to_owned).collect();
                    Some(format!("- `{}`: {}", name.as_str()?, words.join(" ")))
                })
                .collect();
            out.set("enum", Ordered::Array(names));
            out.folded = lines.join("\n");
            return;
        }
        let is_null =
            |member: &Ordered| member.get("type").and_then(Ordered::as_str) == Some("null");
        if let [one, null] = members.as_slice()
            && is_null(null)
            && let Ordered::Object(entries) = or_null(one.clone())
        {
            out.extend(entries);
            return;
        }
        match <[Ordered; 1]>::try_from(members) {
            Ok([Ordered::Object(one)]) => out.extend(one),
            Ok([other]) => out.set("anyOf", Ordered::Array(vec![other])),
            Err(members) => out.set("anyOf", Ordered::Array(members)),
        }
    }

    /// The name behind a reference; the root has one too.
    fn short<'n>(&'n self, reference: &'n str) -> &'n str {
        match reference.rsplit('/').next() {
            Some("#") | None => &self.root,
            Some(name) => name,
        }
    }

    /// The names that schemars gives to Rust's numbers say their bounds; others are formats.
    fn format(&self, value: &Ordered, out: &mut Entries) {
        let unsigned = |max: u128| (Ordered::number("0"), Ordered::from(max));
        let signed = |min: i128, max: i128| (Ordered::from(min), Ordered::from(max));
        let (bounds, is_wide) = match value.as_str().unwrap_or_default() {
            "uint8" => (unsigned(u8::MAX.into()), false),
            "uint16" => (unsigned(u16::MAX.into()), false),
            "uint32" => (unsigned(u32::MAX.into()), true),
            "uint64" | "uint" => (unsigned(u64::MAX.into()), true),
            "uint128" => (unsigned(u128::MAX), true),
            "int8" => (signed(i8::MIN.into(), i8::MAX.into()), false),
            "int16" => (signed(i16::MIN.into(), i16::MAX.into()), false),
            "int32" => (signed(i32::MIN.into(), i32::MAX.into()), true),
            "int64" | "int" => (signed(i64::MIN.into(), i64::MAX.into()), true),
            "int128" => (signed(i128::MIN, i128::MAX), true),
            "float" => (
                (
                    Ordered::from(-NumberRange::F32),
                    Ordered::from(NumberRange::F32),
                ),
                true,
            ),
            "double" => return,
            _ => {
                out.set("format", value.clone());
                return;
            }
        };
        if is_wide && self.detail == Detail::Provider {
            return;
        }
        out.set_new("minimum", bounds.0);
        out.set_new("maximum", bounds.1);
    }
}

/// The strings of a union that has nothing else, each with its words.
fn strings(members: &[Ordered]) -> Option<Vec<(Ordered, Option<String>)>> {
    let mut found = Vec::new();
    for member in members {
        let Some(Ordered::Array(values)) = member.get("enum") else {
            return None;
        };
        if member.get("type").and_then(Ordered::as_str) != Some("string") {
            return None;
        }
        let words = member.get("description").and_then(Ordered::as_str);
        found.extend(
            values
                .iter()
                .map(|value| (value.clone(), words.map(str::to_owned))),
        );
    }
    (!found.is_empty()).then_some(found)
}

/// The schema or `null`, in the shortest way.
fn or_null(schema: Ordered) -> Ordered {
    let null = || Ordered::string("null");
    let Ordered::Object(mut entries) = schema else {
        return schema;
    };
    if entries.is_empty() {
        return Ordered::Object(entries);
    }
    let has = |key: &str| entries.iter().any(|(name, _)| name == key);
    if has("anyOf") && !has("type") {
        for (key, value) in &mut entries {
            if let ("anyOf", Ordered::Array(members)) = (key.as_ref(), value) {
                members.push(object([("type", null())]));
            }
        }
        return Ordered::Object(entries);
    }
    if has("type") && !has("anyOf") {
        for (key, value) in &mut entries {
            match (key.as_ref(), &mut *value) {
                ("type", Ordered::String(_)) => {
                    *value = Ordered::Array(vec![value.clone(), null()]);
                }
                ("type", Ordered::Array(types)) if !types.contains(&null()) => types.push(null()),
                ("enum", Ordered::Array(values)) => values.push(Ordered::Null),
                _ => {}
            }
        }
        return Ordered::Object(entries);
    }
    object([(
        "anyOf",
        Ordered::Array(vec![Ordered::Object(entries), object([("type", null())])]),
    )])
}

fn object<const N: usize>(entries: [(&'static str, Ordered); N]) -> Ordered {
    Ordered::Object(entries.map(|(key, value)| (key.into(), value)).into())
}
