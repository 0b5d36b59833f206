//! Two schemas that both hold, as one.

use std::borrow::Cow;

use super::super::keywords::Keywords;
use super::super::{Ordered, Pair};
use super::union::known_types;
use crate::keyword::Keyword;

/// Sets a keyword; keys join those that are there, which come first: a variant's tag stands beside
/// the reference to its content.
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

/// Lets another schema hold as well. Words of its own are not told where there are words already;
/// they are given back.
pub(in super::super) fn merge(out: &mut Keywords, other: Ordered) -> Option<Pair> {
    let other = match other {
        Ordered::Object(entries) => entries,
        never => {
            all_of(out, vec![never]);
            return None;
        }
    };
    let mut unsaid = None;
    for (key, value) in other {
        let Some(own) = out.get_mut(&key) else {
            out.set(key, value);
            continue;
        };
        if *own == value {
            continue;
        }
        match Keyword::of(&key) {
            // A field's own words win over its type's.
            Some(
                Keyword::Description | Keyword::Default | Keyword::Deprecated | Keyword::Examples,
            ) => unsaid = Some((key, value)),
            Some(Keyword::Properties | Keyword::PatternProperties | Keyword::Required) => {
                put(out, key, value);
            }
            Some(Keyword::Type) => *own = types_of_both(own, &value),
            Some(
                Keyword::Minimum
                | Keyword::ExclusiveMinimum
                | Keyword::MinLength
                | Keyword::MinItems
                | Keyword::MinProperties,
            ) => {
                if number(own) < number(&value) {
                    *own = value;
                }
            }
            Some(
                Keyword::Maximum
                | Keyword::ExclusiveMaximum
                | Keyword::MaxLength
                | Keyword::MaxItems
                | Keyword::MaxProperties,
            ) => {
                if number(own) > number(&value) {
                    *own = value;
                }
            }
            Some(Keyword::AllOf) => {
                if let Ordered::Array(members) = value {
                    all_of(out, members);
                }
            }
            _ => all_of(out, vec![Ordered::Object(vec![(key, value)])]),
        }
    }
    unsaid
}

/// The bound, to be compared: it is kept as it is.
fn number(value: &Ordered) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn types_of_both(own: &Ordered, other: &Ordered) -> Ordered {
    let list = |types: &Ordered| match types {
        Ordered::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let others = list(other);
    let both: Vec<Ordered> = list(own)
        .into_iter()
        .filter(|name| others.contains(name))
        .collect();
    known_types(&Ordered::Array(both)).unwrap_or_else(|| own.clone())
}
