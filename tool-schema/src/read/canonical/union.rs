//! Unions, and enums that were written as unions.

use super::super::keywords::{Keywords, is_null, text, type_of, typed};
use super::super::{Ordered, Pair};
use super::{Form, merge};

/// What some values of an enum mean.
pub struct Meaning {
    pub names: Vec<String>,
    pub words: String,
}

/// Puts a union among the keywords; what is no union is given back, to hold as it is.
pub(super) fn put(
    members: Vec<Ordered>,
    out: &mut Keywords,
    meanings: &mut Vec<Meaning>,
    form: &impl Form,
) -> Option<Ordered> {
    let (nulls, others): (Vec<_>, Vec<_>) = members.iter().cloned().partition(is_null);
    // One constant or `null` is an `Option`, and stays one.
    if (nulls.is_empty() || others.len() > 1)
        && let Some(mut folded) = folded(&others, form)
    {
        if !nulls.is_empty() {
            admit_null(&mut folded);
        }
        meanings.extend(others.iter().filter_map(meaning));
        return Some(folded.into_schema());
    }
    match <[Ordered; 1]>::try_from(form.union(members)) {
        Ok([one]) => Some(one),
        Err(members) if out.has("anyOf") => {
            let union = Keywords::of([("anyOf", Ordered::Array(members))]);
            merge::all_of(out, vec![union.into_schema()]);
            None
        }
        Err(members) => {
            out.set("anyOf", Ordered::Array(members));
            None
        }
    }
}

/// One enum for a union of constants of one type.
fn folded(members: &[Ordered], form: &impl Form) -> Option<Keywords> {
    let first = members.first()?.get("type")?;
    let mut values = Vec::new();
    for member in members {
        let is_plain = |(key, _): &Pair| form.folds(key);
        if member.get("type") != Some(first) || !member.entries().iter().all(is_plain) {
            return None;
        }
        for value in member.get("enum")?.items() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    Some(Keywords::of([
        ("type", first.clone()),
        ("enum", Ordered::Array(values)),
    ]))
}

fn meaning(member: &Ordered) -> Option<Meaning> {
    let words = member.get("description")?.as_str()?;
    let words: Vec<_> = words.split_whitespace().collect();
    Some(Meaning {
        names: member.get("enum")?.items().iter().map(name_of).collect(),
        words: words.join(" "),
    })
}

/// What a value is called among words.
fn name_of(value: &Ordered) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_json(), str::to_owned)
}

/// The types that JSON Schema has, each once; nothing if there is none.
pub(super) fn known_types(value: &Ordered) -> Option<Ordered> {
    let names = match value {
        Ordered::Array(names) => names.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut types: Vec<Ordered> = Vec::new();
    for name in names {
        let is_known = matches!(
            name.as_str(),
            Some("null" | "boolean" | "integer" | "number" | "string" | "array" | "object")
        );
        if is_known && !types.contains(name) {
            types.push(name.clone());
        }
    }
    one_or_list(types)
}

fn one_or_list(types: Vec<Ordered>) -> Option<Ordered> {
    match <[Ordered; 1]>::try_from(types) {
        Ok([one]) => Some(one),
        Err(types) if types.is_empty() => None,
        Err(types) => Some(Ordered::Array(types)),
    }
}

/// The types of an enum's values, if all of them have one that JSON Schema names.
pub(super) fn types_of(values: &[Ordered]) -> Option<Ordered> {
    let mut types: Vec<Ordered> = Vec::new();
    for value in values {
        let name = text(type_of(value));
        if !types.contains(&name) {
            types.push(name);
        }
    }
    one_or_list(types)
}

/// Lets `null` be a value too.
pub fn admit_null(out: &mut Keywords) {
    let null = || text("null");
    match out.get_mut("type") {
        Some(Ordered::Array(types)) if !types.contains(&null()) => types.push(null()),
        Some(Ordered::String(one)) if one != "null" => {
            let one = Ordered::String(one.clone());
            out.set("type", Ordered::Array(vec![one, null()]));
        }
        Some(_) => {}
        None => {
            if let Some(Ordered::Array(members)) = out.get_mut("anyOf")
                && !members.iter().any(is_null)
            {
                members.push(typed("null"));
            }
            return;
        }
    }
    if let Some(Ordered::Array(values)) = out.get_mut("enum")
        && !values.contains(&Ordered::Null)
    {
        values.push(Ordered::Null);
    }
}
