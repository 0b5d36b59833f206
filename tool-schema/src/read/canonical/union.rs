//! Unions, and enums that were written as unions.

use super::super::keywords::{Keywords, is_null, text, type_of, typed, union};
use super::super::{Ordered, Pair, Parts};
use super::{CanonicalRules, merge};
use crate::keyword::{Keyword, TYPES};

/// Meaning of some values of an enum.
pub struct Meaning {
    pub names: Vec<String>,
    pub words: String,
}

/// Sets a union among the keywords; returns a value that is not a union, unchanged.
pub(super) fn put(
    members: Vec<Ordered>,
    out: &mut Keywords,
    meanings: &mut Vec<Meaning>,
    form: &impl CanonicalRules,
) -> Option<Ordered> {
    let others: Vec<&Ordered> = members.iter().filter(|member| !is_null(member)).collect();
    let has_null = others.len() < members.len();
    // One constant or `null` is an `Option`, and stays one.
    if (!has_null || others.len() > 1)
        && let Some(mut folded) = folded(&others, form)
    {
        if has_null {
            admit_null(&mut folded);
        }
        meanings.extend(others.into_iter().filter_map(meaning));
        return Some(folded.into_schema());
    }
    match <[Ordered; 1]>::try_from(form.union(members)) {
        Ok([one]) => Some(one),
        Err(members) if out.has(Keyword::AnyOf) => {
            merge::all_of(out, vec![union(members).into_schema()]);
            None
        }
        Err(members) => {
            out.set(Keyword::AnyOf, Ordered::Array(members));
            None
        }
    }
}

/// Most members, keys and values that are compared with each other. Larger ones count as overlapping.
const MOST: usize = 64;

/// Returns true if a value may fit two of the members, as far as their types, constants and keys say.
pub(super) fn overlaps(members: &[Ordered]) -> bool {
    members.len() > MOST
        || members.iter().enumerate().any(|(place, one)| {
            let mut rest = members.iter().skip(place + 1);
            rest.any(|other| !are_apart(one, other))
        })
}

fn are_apart(one: &Ordered, other: &Ordered) -> bool {
    // An integer is a number.
    let kind = |name| if name == "integer" { "number" } else { name };
    let is_of = |name| other.types().any(|of| kind(of) == kind(name));
    let has_types = one.has(Keyword::Type) && other.has(Keyword::Type);
    if (has_types && !one.types().any(is_of)) || are_enums_apart(one, other) {
        return true;
    }
    let is_small = |schema: &Ordered| {
        schema.declared().is_none_or(|keys| keys.len() <= MOST) && schema.required().count() <= MOST
    };
    let is_object = |schema: &Ordered| schema.is_only("object") && is_small(schema);
    if !is_object(one) || !is_object(other) {
        return false;
    }
    let is_tag = |key| match (one.member(key), other.member(key)) {
        (Some(one), Some(two)) => other.requires(key) && are_enums_apart(one, two),
        _ => false,
    };
    one.required().any(is_tag) || refuses_keys_of(one, other) || refuses_keys_of(other, one)
}

/// Returns true if both are enums without a common value.
fn are_enums_apart(one: &Ordered, other: &Ordered) -> bool {
    let values = (one.list(Keyword::Enum), other.list(Keyword::Enum));
    matches!(values, (Some(one), Some(other))
        if one.len().max(other.len()) <= MOST && one.iter().all(|value| !other.contains(value)))
}

/// Returns true if a closed object does not have a key that another one requires.
fn refuses_keys_of(closed: &Ordered, other: &Ordered) -> bool {
    closed.keyword(Keyword::AdditionalProperties) == Some(&Ordered::Bool(false))
        && !closed.has(Keyword::PatternProperties)
        && other.required().any(|key| closed.member(key).is_none())
}

/// Returns one enum for a union of constants of one type.
fn folded(members: &[&Ordered], form: &impl CanonicalRules) -> Option<Keywords> {
    let first = members.first()?.keyword(Keyword::Type)?;
    let mut values = Vec::new();
    for member in members {
        let is_plain = |(key, _): &Pair| form.folds(Keyword::of(key));
        if member.keyword(Keyword::Type) != Some(first) || !member.entries().iter().all(is_plain) {
            return None;
        }
        for value in member.keyword(Keyword::Enum)?.items() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    Some(Keywords::of([
        (Keyword::Type, first.clone()),
        (Keyword::Enum, Ordered::Array(values)),
    ]))
}

fn meaning(member: &Ordered) -> Option<Meaning> {
    let words = member.text(Keyword::Description)?.split_whitespace();
    let words: Vec<_> = words.collect();
    let values = member.keyword(Keyword::Enum)?.items();
    Some(Meaning {
        names: values.iter().map(name_of).collect(),
        words: words.join(" "),
    })
}

/// Returns the name of a value in a description.
fn name_of(value: &Ordered) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_json(), str::to_owned)
}

/// Returns the valid types, without duplicates; `None` if there is none.
pub(super) fn known_types(value: &Ordered) -> Option<Ordered> {
    let is_known = |name: &Ordered| name.as_str().is_some_and(|name| TYPES.contains(&name));
    let Ordered::Array(names) = value else {
        return is_known(value).then(|| value.clone());
    };
    let mut types: Vec<Ordered> = Vec::new();
    for name in names {
        if is_known(name) && !types.contains(name) {
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
    match out.get_mut(Keyword::Type.as_str()) {
        Some(Ordered::Array(types)) if !types.contains(&null()) => types.push(null()),
        Some(Ordered::String(one)) if one != "null" => {
            let one = Ordered::String(std::mem::take(one));
            out.set(Keyword::Type, Ordered::Array(vec![one, null()]));
        }
        Some(_) => {}
        None => {
            if let Some(members) = out.list_mut(Keyword::AnyOf) {
                if !members.iter().any(is_null) {
                    members.push(typed("null"));
                }
            } else if let Some(target) = out.take(Keyword::Ref) {
                let reference = Keywords::of([(Keyword::Ref, target)]).into_schema();
                let members = vec![reference, typed("null")];
                out.set(Keyword::AnyOf, Ordered::Array(members));
            }
            return;
        }
    }
    if let Some(values) = out.list_mut(Keyword::Enum)
        && !values.contains(&Ordered::Null)
    {
        values.push(Ordered::Null);
    }
}
