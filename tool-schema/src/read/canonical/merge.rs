//! Two schemas that both hold, as one.

use std::borrow::Cow;

use super::super::keywords::Keywords;
use super::super::{Ordered, Pair, Parts};
use super::union::known_types;
use crate::keyword::Keyword;

/// Keywords for the keys of an object: their meanings depend on each other.
const KEYS: [Keyword; 4] = [
    Keyword::Properties,
    Keyword::PatternProperties,
    Keyword::AdditionalProperties,
    Keyword::UnevaluatedProperties,
];

/// Keywords for the elements of an array.
const ELEMENTS: [Keyword; 6] = [
    Keyword::Items,
    Keyword::PrefixItems,
    Keyword::Contains,
    Keyword::MinContains,
    Keyword::MaxContains,
    Keyword::UnevaluatedItems,
];

const CONDITION: [Keyword; 3] = [Keyword::If, Keyword::Then, Keyword::Else];

/// Sets a keyword; keys are appended to existing ones: a variant's tag is beside the reference to its content.
pub(super) fn put(out: &mut Keywords, key: impl Into<Cow<'static, str>>, value: Ordered) {
    let key = key.into();
    match (out.get_mut(&key), value) {
        (Some(Ordered::Object(own)), Ordered::Object(others)) => {
            for (name, schema) in others {
                if !own.iter().any(|(known, _)| *known == name) {
                    own.push((name, schema));
                }
            }
        }
        (Some(Ordered::Array(own)), Ordered::Array(others)) => {
            for name in others {
                if !own.contains(&name) {
                    own.push(name);
                }
            }
        }
        (_, value) => out.set(key, value),
    }
}

/// Adds members of `allOf`.
pub(super) fn all_of(out: &mut Keywords, members: Vec<Ordered>) {
    if members.is_empty() {
        return;
    }
    match out.list_mut(Keyword::AllOf) {
        Some(own) => own.extend(members),
        None => out.set(Keyword::AllOf, Ordered::Array(members)),
    }
}

/// Lets another schema hold as well. Both become one where that is exact; the rest of `other` joins `allOf`.
///
/// Two things are lost, and returned: annotations that `out` has already, and `additionalProperties:
/// false` that would forbid the keys of the other schema. By the letter no object has keys then;
/// authors mean that all keys together are closed.
pub fn merge(out: &mut Keywords, other: Ordered) -> Vec<Pair> {
    let mut lost = Vec::new();
    let mut other = match other {
        Ordered::Object(entries) => Keywords(entries),
        never => {
            all_of(out, vec![never]);
            return lost;
        }
    };
    let mut rest = group(&mut other, &KEYS);
    if !out.has_any(&KEYS) || unite_keys(out, &mut rest, &mut lost) {
        out.0.append(&mut rest.0);
    }
    let mut elements = group(&mut other, &ELEMENTS);
    if !out.has_any(&ELEMENTS) || unite_elements(out, &mut elements, &mut lost) {
        out.0.append(&mut elements.0);
    }
    rest.0.append(&mut elements.0);
    let mut condition = group(&mut other, &CONDITION);
    if !out.has_any(&CONDITION) {
        out.0.append(&mut condition.0);
    }
    rest.0.append(&mut condition.0);
    for (key, value) in other.0 {
        let Some(own) = out.get_mut(&key) else {
            out.set(key, value);
            continue;
        };
        if *own == value {
            continue;
        }
        let keyword = Keyword::of(&key);
        // A field's own words win over its type's.
        if keyword.is_none_or(Keyword::is_note) {
            lost.push((key, value));
            continue;
        }
        match (keyword, value) {
            (Some(Keyword::AllOf), Ordered::Array(members)) => all_of(out, members),
            (keyword, value) => {
                if let Some(value) =
                    keyword.and_then(|keyword| unite(keyword, own, value, &mut lost))
                {
                    rest.set(key, value);
                }
            }
        }
    }
    if !rest.0.is_empty() {
        all_of(out, vec![rest.into_schema()]);
    }
    lost
}

/// Takes some keywords out.
fn group(keywords: &mut Keywords, group: &[Keyword]) -> Keywords {
    let is_of = |(key, _): &mut Pair| Keyword::of(key).is_some_and(|key| group.contains(&key));
    Keywords(keywords.0.extract_if(.., is_of).collect())
}

/// Returns one schema for two that both hold.
fn both(own: &mut Ordered, other: Ordered, lost: &mut Vec<Pair>) {
    match (&mut *own, other) {
        (own, other) if *own == other => {}
        (Ordered::Object(entries), other @ Ordered::Object(_)) => {
            let mut out = Keywords(std::mem::take(entries));
            lost.extend(merge(&mut out, other));
            *own = out.into_schema();
        }
        (_, Ordered::Bool(true)) | (Ordered::Bool(false), _) => {}
        (_, other) => *own = other,
    }
}

/// Merges values of one keyword. Returns the other value if no single value has both meanings.
fn unite(
    keyword: Keyword,
    own: &mut Ordered,
    other: Ordered,
    lost: &mut Vec<Pair>,
) -> Option<Ordered> {
    match keyword {
        Keyword::Type => match types_of_both(own, &other) {
            Some(types) => *own = types,
            None => return Some(other),
        },
        Keyword::Enum => {
            let is_listed = |value: &Ordered| other.items().contains(value);
            let values: Vec<_> = own
                .items()
                .iter()
                .filter(|value| is_listed(value))
                .cloned()
                .collect();
            if values.is_empty() {
                return Some(other);
            }
            *own = Ordered::Array(values);
        }
        Keyword::Minimum
        | Keyword::ExclusiveMinimum
        | Keyword::MinLength
        | Keyword::MinItems
        | Keyword::MinProperties => {
            if own.as_decimal() < other.as_decimal() {
                *own = other;
            }
        }
        Keyword::Maximum
        | Keyword::ExclusiveMaximum
        | Keyword::MaxLength
        | Keyword::MaxItems
        | Keyword::MaxProperties => {
            if own.as_decimal() > other.as_decimal() {
                *own = other;
            }
        }
        Keyword::UniqueItems => *own = Ordered::Bool(true),
        Keyword::Required => match (own, other) {
            (Ordered::Array(own), Ordered::Array(others)) => {
                let mut others = others;
                others.retain(|name| !own.contains(name));
                own.append(&mut others);
            }
            (_, other) => return Some(other),
        },
        Keyword::PropertyNames => both(own, other, lost),
        Keyword::DependentSchemas => unite_named(own, other, lost),
        _ => return Some(other),
    }
    None
}

/// Unites schemas by name.
fn unite_named(own: &mut Ordered, other: Ordered, lost: &mut Vec<Pair>) {
    let (Ordered::Object(own), Ordered::Object(others)) = (own, other) else {
        return;
    };
    for (name, schema) in others {
        match own.iter_mut().find(|(known, _)| *known == name) {
            Some((_, own)) => both(own, schema, lost),
            None => own.push((name, schema)),
        }
    }
}

/// Merges the keywords for keys. Returns false, and changes nothing, if no single object has both meanings: one schema
/// bounds the keys that only the other one declares.
fn unite_keys(out: &mut Keywords, other: &mut Keywords, lost: &mut Vec<Pair>) -> bool {
    let is_bounded = |schema: &Ordered| !schema.entries().is_empty();
    let bounds = |keys: &Keywords| {
        let patterns = keys.named(Keyword::PatternProperties).unwrap_or_default();
        keys.keyword(Keyword::AdditionalProperties)
            .is_some_and(is_bounded)
            || patterns.iter().any(|(_, schema)| is_bounded(schema))
    };
    let adds = |to: &Keywords, from: &Keywords| {
        let declared = from.declared().unwrap_or_default();
        declared.iter().any(|(name, _)| to.member(name).is_none())
            || from.has(Keyword::PatternProperties)
    };
    let (joins, lacks) = (adds(out, other), adds(other, out));
    if other.has(Keyword::UnevaluatedProperties) || bounds(out) && joins || bounds(other) && lacks {
        return false;
    }
    let additional = Keyword::AdditionalProperties;
    let closed = || (additional.into(), Ordered::Bool(false));
    match (out.is_closed(), other.is_closed()) {
        (true, true) if joins || lacks => {
            lost.push(closed());
            other.take(additional);
        }
        (true, false) if joins => {
            lost.push(closed());
            out.take(additional);
        }
        (false, true) if lacks => {
            lost.push(closed());
            other.take(additional);
        }
        _ => {}
    }
    for (key, value) in std::mem::take(&mut other.0) {
        match out.get_mut(&key) {
            None => out.set(key, value),
            Some(own) if key == additional.as_str() => both(own, value, lost),
            Some(own) => unite_named(own, value, lost),
        }
    }
    true
}

/// Unites the schemas of elements. Returns false, and changes nothing, where places or `contains` are in the way.
fn unite_elements(out: &mut Keywords, other: &mut Keywords, lost: &mut Vec<Pair>) -> bool {
    let is_items = |keywords: &Keywords| {
        let [_, others @ ..] = ELEMENTS;
        !keywords.has_any(&others)
    };
    if !is_items(out) || !is_items(other) {
        return false;
    }
    if let (Some(own), Some(items)) = (out.schema_mut(Keyword::Items), other.take(Keyword::Items)) {
        both(own, items, lost);
    }
    true
}

/// The types that both name; `None` if no value is of both.
fn types_of_both(own: &Ordered, other: &Ordered) -> Option<Ordered> {
    let list = |types: &Ordered| match types {
        Ordered::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let (own, other) = (list(own), list(other));
    let is = |types: &[Ordered], name: &str| types.iter().any(|known| known.as_str() == Some(name));
    let mut all = own.clone();
    all.extend(other.iter().cloned());
    // Integers are numbers.
    all.retain(|name| {
        let admits = |types: &[Ordered]| {
            types.contains(name) || name.as_str() == Some("integer") && is(types, "number")
        };
        admits(&own) && admits(&other)
    });
    known_types(&Ordered::Array(all))
}
