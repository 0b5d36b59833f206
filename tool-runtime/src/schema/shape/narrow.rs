//! Bounds on a type that has bounds of its own: both hold.

use std::cmp::Ordering;

use crate::schema::shape::{Bounds, Edge, IntegerRange, Kind, NumberRange, Shape, Union};

/// A shape without its outer layers: bounds applied, `null` and the side taken off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bare {
    pub(crate) kind: Kind,
    /// Whether `null` is admitted too.
    pub(crate) nullable: bool,
    /// The first words on the way in; empty for none.
    pub(crate) description: &'static str,
    pub(crate) title: &'static str,
    /// Whether a layer says that values are for the tool alone.
    pub(crate) is_secret: bool,
}

/// Takes the outer layers off a shape.
pub(crate) fn bare(shape: &Shape, output: bool) -> Bare {
    let mut bare = Bare {
        kind: shape.kind,
        nullable: false,
        description: shape.description,
        title: shape.title,
        is_secret: shape.is_secret,
    };
    let mut bounds: Vec<Bounds> = Vec::new();
    loop {
        let inner = match bare.kind {
            Kind::Nullable(inner) => {
                bare.nullable = true;
                inner
            }
            Kind::Narrow(inner, narrower) => {
                bounds.push(narrower);
                inner
            }
            Kind::Union(Union { members: [one], .. }) => one,
            Kind::Sides { output: out, .. } if output => out,
            Kind::Sides { input, .. } => input,
            _ => break,
        };
        bare.kind = inner.kind;
        bare.is_secret |= inner.is_secret;
        if bare.description.is_empty() {
            bare.description = inner.description;
        }
        if bare.title.is_empty() {
            bare.title = inner.title;
        }
    }
    for bounds in bounds.into_iter().rev() {
        bare.kind = narrowed(bare.kind, &bounds);
    }
    bare
}

/// The kind within bounds; bounds that do not concern it say nothing.
pub(crate) fn narrowed(kind: Kind, bounds: &Bounds) -> Kind {
    match kind {
        Kind::Integer(range) => Kind::Integer(IntegerRange {
            min: bounds.min.unwrap_or(range.min).max(range.min),
            max: bounds.max.unwrap_or(range.max).min(range.max),
            is_width: range.is_width && bounds.min.is_none() && bounds.max.is_none(),
            multiple_of: match bounds.multiple_of {
                Some(literal) => literal.text.parse().unwrap_or(range.multiple_of),
                None => range.multiple_of,
            },
            ..range
        }),
        Kind::Number(range) => Kind::Number(NumberRange {
            min: higher(range.min, bounds.from),
            max: lower(range.max, bounds.to),
            multiple_of: bounds.multiple_of.or(range.multiple_of),
            ..range
        }),
        Kind::String(mut rules) => {
            rules.min_len = rules.min_len.max(bounds.min_len.unwrap_or(0));
            rules.max_len = least(rules.max_len, bounds.max_len);
            rules.pattern = bounds.pattern.or(rules.pattern);
            if !bounds.format.is_empty() {
                rules.format = bounds.format;
            }
            Kind::String(rules)
        }
        Kind::Array(mut array) => {
            array.min_len = array.min_len.max(bounds.min_len.unwrap_or(0));
            array.max_len = least(array.max_len, bounds.max_len);
            array.unique |= bounds.unique;
            Kind::Array(array)
        }
        Kind::Map(mut map) => {
            map.min_len = map.min_len.max(bounds.min_len.unwrap_or(0));
            map.max_len = least(map.max_len, bounds.max_len);
            Kind::Map(map)
        }
        other => other,
    }
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, None) | (None, one) => one,
    }
}

fn higher(a: Option<Edge>, b: Option<Edge>) -> Option<Edge> {
    match (a, b) {
        (Some(a), Some(b)) => Some(match a.at.value.total_cmp(&b.at.value) {
            Ordering::Greater => a,
            Ordering::Equal if a.exclusive => a,
            _ => b,
        }),
        (one, None) | (None, one) => one,
    }
}

fn lower(a: Option<Edge>, b: Option<Edge>) -> Option<Edge> {
    match (a, b) {
        (Some(a), Some(b)) => Some(match a.at.value.total_cmp(&b.at.value) {
            Ordering::Less => a,
            Ordering::Equal if a.exclusive => a,
            _ => b,
        }),
        (one, None) | (None, one) => one,
    }
}
