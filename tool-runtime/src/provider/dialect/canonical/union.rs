//! Unions, and enums that were written as unions.

use super::super::keywords::{Keywords, is_null, text, type_of, typed};
use super::merge;
use crate::schema::read::Ordered;

/// Puts a union among the keywords; what is no union is given back, to hold as it is.
pub(super) fn put(members: Vec<Ordered>, out: &mut Keywords) -> Option<Ordered> {
    let (nulls, others): (Vec<_>, Vec<_>) = members.iter().cloned().partition(is_null);
    if let Some(mut folded) = folded(&others) {
        if !nulls.is_empty() {
            admit_null(&mut folded);
        }
        // One constant or `null` is an `Option`, and stays one.
        if nulls.is_empty() || others.len() > 1 {
            return Some(folded.into_schema());
        }
    }
    match <[Ordered; 1]>::try_from(members) {
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

/// One enum for a union of constants of one type, and what they mean.
fn folded(members: &[Ordered]) -> Option<Keywords> {
    let first = members.first()?.get("type")?;
    let (mut values, mut meanings) = (Vec::new(), Vec::new());
    for member in members {
        let Ordered::Object(entries) = member else {
            return None;
        };
        let is_plain = |key: &str| matches!(key, "type" | "enum" | "description");
        if is_null(member)
            || member.get("type") != Some(first)
            || !entries.iter().all(|(key, _)| is_plain(key))
        {
            return None;
        }
        let Ordered::Array(own) = member.get("enum")? else {
            return None;
        };
        if let Some(words) = member.get("description").and_then(Ordered::as_str) {
            let names: Vec<_> = own.iter().map(name).collect();
            let words: Vec<_> = words.split_whitespace().collect();
            meanings.push(format!("{}: {}", names.join(", "), words.join(" ")));
        }
        for value in own {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    let mut schema = Keywords::of([("type", first.clone()), ("enum", Ordered::Array(values))]);
    if !meanings.is_empty() {
        schema.set(MEANINGS, text(meanings.join("; ")));
    }
    Some(schema)
}

fn name(value: &Ordered) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_json(), str::to_owned)
}

/// What an enum's values mean, until the description is known. No keyword has a space.
const MEANINGS: &str = "enum meanings";

/// Tells what an enum's values mean after its own words: `Speed. Slow: slow and safe; Fast: no
/// checks`.
pub(super) fn tell_meanings(schema: &mut Keywords) {
    let Some(meanings) = schema.take(MEANINGS) else {
        return;
    };
    let meanings = meanings.as_str().unwrap_or_default();
    let own = schema.text("description").unwrap_or_default().trim_end();
    let joined = match own.chars().last() {
        None => meanings.to_owned(),
        Some('.' | '!' | '?' | ':') => format!("{own} {meanings}"),
        Some(_) => format!("{own}. {meanings}"),
    };
    schema.set("description", text(joined));
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
pub(super) fn admit_null(out: &mut Keywords) {
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
