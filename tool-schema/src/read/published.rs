//! Brings a JSON Schema from elsewhere (schemars) into the form in which ours are published. It has exact bounds for
//! Rust's number formats, closes objects that declare their keys, and has no titles.

use toolwright_json::by_value;

use super::canonical::{
    Canonical, CanonicalRules, DefinitionNames, Meaning, admit_null, canonical, merge,
};
use super::keywords::{Keywords, is_null, reference, text, typed, union};
use super::ordered::of_value;
use super::{Ordered, Pair, Parts, refs};
use crate::keyword::Keyword;
use crate::shape::{Detail, NumberRange, SIGNED_KEY, Side, UNSIGNED_KEY};

/// Options for publishing a schema.
#[derive(Clone, Copy)]
pub struct Published {
    pub(crate) side: Side,
    pub(crate) detail: Detail,
    /// True if `null` is admitted too.
    pub(crate) nullable: bool,
    /// True for a whole schema: a recursive type is inlined at its root.
    pub(crate) is_root: bool,
    /// True if `{"type": "object"}` is an object without keys, as schemars writes an empty struct.
    pub(crate) closes_bare: bool,
}

/// Brings a schema into the published form. Returns it and the recursive definitions that it refers to.
pub fn published(schema: &serde_json::Value, mut form: Published) -> (Ordered, Vec<Pair>) {
    let root = of_value(schema);
    let title = root.text(Keyword::Title).unwrap_or("Root").to_owned();
    // The root has a name too, since it may become a part of another schema.
    let name = |target: &str| match target.rsplit('/').next() {
        Some("#") | None => title.clone(),
        Some(name) => name.to_owned(),
    };
    let heads = refs::heads(&root).into_iter();
    let heads: Vec<_> = heads.map(|head| (head.to_owned(), name(head))).collect();
    let is_recursive = heads.iter().any(|(_, name)| *name == title);
    let names = heads.iter().cloned();
    let names: DefinitionNames = names.map(|(head, name)| (head, Some(name))).collect();
    let read = canonical(root, Some(names), form.is_root && !form.nullable, &mut form);
    // Publishing has no limit, so it cannot fail.
    let (mut schema, mut defs) = match read {
        Ok(Canonical { root, defs, .. }) => (root, defs),
        Err(_) => (Ordered::empty(), Vec::new()),
    };
    defs.sort_by_key(|(own, _)| heads.iter().position(|(_, name)| name == own));
    if is_recursive && !form.is_root {
        schema = reference(format!("#/$defs/{title}"));
    }
    if form.nullable {
        schema = or_null(schema);
    }
    (schema, defs)
}

/// Returns a whole schema in the published form, with unordered parts in a fixed order. So two that
/// admit the same in the same words are equal.
pub fn comparable(schema: &serde_json::Value) -> serde_json::Value {
    let form = Published {
        side: Side::Input,
        detail: Detail::Full,
        nullable: false,
        is_root: true,
        closes_bare: true,
    };
    let (mut schema, mut defs) = published(schema, form);
    defs.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let (Ordered::Object(entries), false) = (&mut schema, defs.is_empty()) {
        entries.push((Keyword::Defs.into(), Ordered::Object(defs)));
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
                if let Ordered::Array(items) = value
                    && let Some(Keyword::Enum | Keyword::AnyOf | Keyword::Required | Keyword::Type) =
                        Keyword::of(key)
                {
                    items.sort_by_cached_key(Ordered::to_json);
                }
            }
        }
        _ => {}
    }
}

impl CanonicalRules for Published {
    const MOST_NODES: usize = usize::MAX;
    const MOST_LEVELS: usize = usize::MAX;

    fn drops(&self, keyword: Keyword) -> bool {
        // An output has no defaults.
        keyword == Keyword::Default && self.side == Side::Output
    }

    fn never(&self) -> Ordered {
        Keywords::of([(Keyword::Not, Ordered::empty())]).into_schema()
    }

    /// schemars' format names of Rust's numbers imply bounds; others are formats. Explicit bounds take precedence.
    fn format(&self, format: &str, out: &mut Keywords) -> bool {
        if format == "double" {
            return true;
        }
        let Some((minimum, maximum, is_wide)) = bounds(format) else {
            return false;
        };
        if !is_wide || self.detail != Detail::Provider {
            for (key, bound) in [(Keyword::Minimum, minimum), (Keyword::Maximum, maximum)] {
                if !out.has(key) {
                    out.set(key, bound);
                }
            }
        }
        true
    }

    fn union(&self, members: Vec<Ordered>) -> Vec<Ordered> {
        match <[Ordered; 2]>::try_from(members) {
            Ok([one, null]) if is_null(&null) => vec![or_null(one)],
            Ok(two) => two.into(),
            Err(members) => members,
        }
    }

    fn folds(&self, _keyword: Option<Keyword>) -> bool {
        true
    }

    fn described(&self, own: &str, meanings: &[Meaning]) -> String {
        let own = (!own.is_empty()).then(|| own.to_owned());
        let lines = meanings.iter().flat_map(|Meaning { names, words }| {
            let names = names.iter();
            names.map(move |name| format!("- `{name}`: {words}"))
        });
        own.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
    }

    fn finish(&self, out: &mut Keywords, is_part: bool) {
        for key in [
            Keyword::AdditionalProperties,
            Keyword::UnevaluatedProperties,
        ] {
            if out.is_true(key) {
                out.set(key, Ordered::empty());
            }
        }
        let constant = out.keyword(Keyword::Not);
        let constant = constant.and_then(|not| not.keyword(Keyword::Const).cloned());
        if let Some(value) = constant {
            let not = Keywords::of([(Keyword::Enum, Ordered::Array(vec![value]))]);
            out.set(Keyword::Not, not.into_schema());
        }
        name_integer_keys(out);
        distribute(out);
        // An output may get more keys later.
        if self.side == Side::Output && out.is_closed() {
            out.take(Keyword::AdditionalProperties);
        }
        // A part of an object is not closed: the other parts have keys too.
        if self.side == Side::Input && !is_part && is_closed(out, self.closes_bare) {
            if !out.has(Keyword::Properties) {
                out.set(Keyword::Properties, Ordered::empty());
            }
            out.set(Keyword::AdditionalProperties, Ordered::Bool(false));
        }
        sort_required(out);
        if out.has_any(&[Keyword::Default, Keyword::Examples]) {
            let schema = out.clone();
            for (key, value) in &mut out.0 {
                match (Keyword::of(key), value) {
                    (Some(Keyword::Default), value) => sort_sets(value, &schema),
                    (Some(Keyword::Examples), Ordered::Array(values)) => {
                        for value in values {
                            sort_sets(value, &schema);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Sorts the elements of sets in a value that the schema describes: a hash may have ordered them. Keys are sorted
/// already.
fn sort_sets(value: &mut Ordered, schema: &impl Parts<'static>) {
    for schema in schema.combined() {
        sort_sets(value, schema);
    }
    match value {
        Ordered::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                if let Some(schema) = schema.element(index) {
                    sort_sets(item, schema);
                }
            }
            if schema.is_true(Keyword::UniqueItems) {
                items.sort_by(|one, other| by_value(&one.to_json(), &other.to_json()));
            }
        }
        Ordered::Object(entries) => {
            for (key, item) in entries {
                let declared = schema.declared().unwrap_or_default();
                let declared = declared.iter().find(|(name, _)| name == key);
                let declared = declared.map(|(_, schema)| schema);
                if let Some(schema) = declared.or(schema.keyword(Keyword::AdditionalProperties)) {
                    sort_sets(item, schema);
                }
            }
        }
        _ => {}
    }
}

/// Returns true if an object is read as closed: it declares its keys and has no rule for others. An object without
/// declared keys accepts any key, unless `closes_bare`.
fn is_closed(out: &Keywords, closes_bare: bool) -> bool {
    let others = [
        Keyword::Ref,
        Keyword::AdditionalProperties,
        Keyword::AllOf,
        Keyword::AnyOf,
        Keyword::PatternProperties,
        Keyword::PropertyNames,
        Keyword::UnevaluatedProperties,
    ];
    let is_bare = !out.has(Keyword::Properties);
    out.is_of("object")
        && !out.has_any(&others)
        && (is_bare && closes_bare || out.declares_all_keys())
}

/// The bounds of a number of Rust, and whether they say no more than its width.
fn bounds(format: &str) -> Option<(Ordered, Ordered, bool)> {
    let bits = |width: &str| match width {
        "" => Some(64_u32),
        "8" | "16" | "32" | "64" | "128" => width.parse().ok(),
        _ => None,
    };
    if let Some(bits) = format.strip_prefix("uint").and_then(bits) {
        return Some((0_u128.into(), (u128::MAX >> (128 - bits)).into(), bits > 16));
    }
    if let Some(bits) = format.strip_prefix("int").and_then(bits) {
        let max = i128::MAX >> (128 - bits);
        return Some(((-max - 1).into(), max.into(), bits > 16));
    }
    let is_float = format == "float";
    is_float.then(|| ((-NumberRange::F32).into(), NumberRange::F32.into(), true))
}

/// The schema or `null`, in the shortest way.
fn or_null(schema: Ordered) -> Ordered {
    let mut out = match schema {
        Ordered::Object(entries) if !entries.is_empty() => Keywords(entries),
        anything => return anything,
    };
    if out.has(Keyword::Type) == out.has(Keyword::AnyOf) {
        out = union(vec![Ordered::Object(out.0), typed("null")]);
    } else {
        admit_null(&mut out);
    }
    Ordered::Object(out.0)
}

/// Names the keys of a map with integers for keys, as schemars writes it: they are read in one spelling each.
fn name_integer_keys(out: &mut Keywords) {
    let Some([(pattern, values)]) = out.named(Keyword::PatternProperties) else {
        return;
    };
    let keys = match pattern.as_ref() {
        r"^\d+$" => UNSIGNED_KEY,
        r"^-?\d+$" => SIGNED_KEY,
        _ => return,
    };
    if out.is_closed() {
        let values = values.clone();
        out.take(Keyword::PatternProperties);
        let names = Keywords::of([(Keyword::Pattern, text(keys))]);
        out.set(Keyword::PropertyNames, names.into_schema());
        out.set(Keyword::AdditionalProperties, values);
    }
}

/// Moves keys beside a union of objects into each of them: a closed object must declare all of its keys.
fn distribute(out: &mut Keywords) {
    let Some(members) = out.any_of() else {
        return;
    };
    let mut members = members.to_vec();
    let is_key = |(key, _): &&Pair| {
        matches!(
            Keyword::of(key),
            Some(Keyword::Properties | Keyword::Required)
        )
    };
    let keys = Keywords(out.0.iter().filter(is_key).cloned().collect());
    if !keys.0.is_empty() && members.iter_mut().all(|member| add_keys(member, &keys)) {
        out.0.retain(|pair| !is_key(&pair));
        for beside in [
            Keyword::Type,
            Keyword::AdditionalProperties,
            Keyword::UnevaluatedProperties,
        ] {
            out.take(beside);
        }
        out.set(Keyword::AnyOf, Ordered::Array(members));
    }
}

/// Adds keys to an object, or to each of a union of objects. Returns whether it is one.
fn add_keys(schema: &mut Ordered, keys: &Keywords) -> bool {
    let Ordered::Object(entries) = schema else {
        return false;
    };
    let mut own = Keywords(std::mem::take(entries));
    let mut is_object = own.is_only("object");
    if let Some(members) = own.list_mut(Keyword::AnyOf) {
        is_object = members.iter_mut().all(|member| add_keys(member, keys));
    } else if is_object {
        // They come first.
        let member = Ordered::Object(std::mem::replace(&mut own, keys.clone()).0);
        merge(&mut own, member);
        sort_required(&mut own);
    }
    *schema = own.into_schema();
    is_object
}

fn sort_required(out: &mut Keywords) {
    if let Some(required) = out.list_mut(Keyword::Required) {
        required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
}
