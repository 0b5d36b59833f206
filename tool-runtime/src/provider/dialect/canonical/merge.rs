//! Two schemas that both hold, as one.

use super::super::keywords::Keywords;
use super::union::known_types;
use crate::schema::read::Ordered;

/// Sets a keyword; keys join those that are there, which come first: a variant's tag stands beside
/// the reference to its content.
pub(super) fn put(out: &mut Keywords, key: &str, value: Ordered) {
    match (out.get_mut(key), value) {
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
    match out.get_mut("allOf") {
        Some(Ordered::Array(own)) => own.extend(members),
        _ => out.set("allOf", Ordered::Array(members)),
    }
}

/// Lets another schema hold as well. Words of its own are not told where there are words already;
/// they are given back.
pub(super) fn merge(out: &mut Keywords, other: Ordered) -> Option<(String, Ordered)> {
    let other = match other {
        Ordered::Object(entries) => entries,
        never => {
            all_of(out, vec![never]);
            return None;
        }
    };
    let mut unsaid = None;
    for (key, value) in other {
        let Some(own) = out.get(&key) else {
            out.set(&key, value);
            continue;
        };
        if *own == value {
            continue;
        }
        match key.as_str() {
            // A field's own words win over its type's.
            "description" | "default" => unsaid = Some((key, value)),
            "properties" | "patternProperties" | "required" => put(out, &key, value),
            "type" => {
                let both = types_of_both(own, &value);
                out.set("type", both);
            }
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
                if number(own) < number(&value) {
                    out.set(&key, value);
                }
            }
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                if number(own) > number(&value) {
                    out.set(&key, value);
                }
            }
            "allOf" => {
                if let Ordered::Array(members) = value {
                    all_of(out, members);
                }
            }
            _ => all_of(out, vec![Ordered::Object(vec![(key, value)])]),
        }
    }
    unsaid
}

#[allow(clippy::cast_precision_loss)] // Bounds are compared, and kept as they are.
fn number(value: &Ordered) -> f64 {
    match value {
        Ordered::Unsigned(value) => *value as f64,
        Ordered::Signed(value) => *value as f64,
        Ordered::Float(value) => *value,
        _ => 0.0,
    }
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
