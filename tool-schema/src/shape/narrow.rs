//! Applies bounds to a type that has bounds: both apply.

use crate::shape::{Bounds, Edge, Kind, NumberRange, Shape, Side};

/// A shape without its outer layers: bounds applied, `null` and the side taken off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Narrowed<'s> {
    pub(crate) kind: Kind<'s>,
    /// The numbers that a string may hold, if a library reads a number from it.
    pub(crate) numbers: NumberRange<'s>,
    /// True if `null` is admitted too.
    pub(crate) nullable: bool,
    /// The outermost description; empty for none.
    pub(crate) description: &'s str,
    pub(crate) title: &'s str,
    /// True if a layer marks values as secret.
    pub(crate) is_secret: bool,
}

/// Takes the outer layers off a shape.
pub(crate) const fn bare<'s>(shape: &Shape<'s>, output: bool) -> Narrowed<'s> {
    let side = if output { Side::Output } else { Side::Input };
    let Some(inner) = shape.kind.layer_or_only_member(side) else {
        return Narrowed {
            kind: shape.kind,
            numbers: NumberRange::of_type(f64::MAX),
            nullable: false,
            description: shape.description,
            title: shape.title,
            is_secret: shape.is_secret,
        };
    };
    let mut bare = bare(inner, output);
    bare.nullable |= shape.kind.adds_null();
    bare.is_secret |= shape.is_secret;
    if let Some(bounds) = shape.kind.bounds() {
        bare.kind = narrowed(bare.kind, bounds);
        bare.numbers = numbers(bare.numbers, bounds);
    }
    if !shape.description.is_empty() {
        bare.description = shape.description;
    }
    if !shape.title.is_empty() {
        bare.title = shape.title;
    }
    bare
}

/// A shape without its outer layers, and the layers' effects on reading. The shape itself checks bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unwrapped<'a, 's> {
    pub(crate) kind: &'a Kind<'s>,
    /// True if `null` is admitted too.
    pub(crate) nullable: bool,
    /// True if a layer excludes equal elements.
    pub(crate) unique: bool,
    /// True if a layer marks values as secret.
    pub(crate) is_secret: bool,
}

impl<'a, 's> Unwrapped<'a, 's> {
    /// Takes the outer layers off a shape that is read.
    pub(crate) fn of(shape: &'a Shape<'s>) -> Self {
        let (mut nullable, mut unique, mut is_secret) = (false, false, false);
        let core = peel(shape, false, |layer| {
            nullable |= layer.kind.adds_null();
            unique |= layer.kind.bounds().is_some_and(|bounds| bounds.unique);
            is_secret |= layer.is_secret;
        });
        Self {
            kind: &core.kind,
            nullable,
            unique,
            is_secret,
        }
    }
}

/// Returns the shape inside the outer layers. Each layer is shown on the way in, and so is the result.
#[inline]
fn peel<'a, 's>(
    mut shape: &'a Shape<'s>,
    output: bool,
    mut show: impl FnMut(&'a Shape<'s>),
) -> &'a Shape<'s> {
    let side = if output { Side::Output } else { Side::Input };
    show(shape);
    while let Some(inner) = shape.kind.layer_or_only_member(side) {
        shape = inner;
        show(shape);
    }
    shape
}

/// The kind within bounds; bounds that do not concern it say nothing.
pub(crate) const fn narrowed<'s>(kind: Kind<'s>, bounds: &Bounds<'s>) -> Kind<'s> {
    match kind {
        Kind::Integer(mut range) => {
            if let Some(min) = bounds.min
                && !min.is_below(range.min)
            {
                range.min = min;
                range.min_is_width = false;
            }
            if let Some(max) = bounds.max
                && !range.max.is_below(max)
            {
                range.max = max;
                range.max_is_width = false;
            }
            if let Some(literal) = bounds.multiple_of
                && let Ok(value) = u64::from_str_radix(literal.text, 10)
            {
                range.multiple_of = value;
            }
            Kind::Integer(range)
        }
        Kind::Number(range) => Kind::Number(numbers(range, bounds)),
        Kind::String(mut rules) => {
            rules.min_len = most(rules.min_len, bounds.min_len);
            rules.max_len = least(rules.max_len, bounds.max_len);
            if bounds.pattern.is_some() {
                rules.pattern = bounds.pattern;
            }
            if !bounds.format.is_empty() {
                rules.format = bounds.format;
            }
            Kind::String(rules)
        }
        Kind::Array(mut array) => {
            array.min_len = most(array.min_len, bounds.min_len);
            array.max_len = least(array.max_len, bounds.max_len);
            array.unique |= bounds.unique;
            Kind::Array(array)
        }
        Kind::Map(mut map) => {
            map.min_len = most(map.min_len, bounds.min_len);
            map.max_len = least(map.max_len, bounds.max_len);
            Kind::Map(map)
        }
        other => other,
    }
}

const fn numbers<'s>(mut range: NumberRange<'s>, bounds: &Bounds<'s>) -> NumberRange<'s> {
    range.min = inner(range.min, bounds.from, true);
    range.max = inner(range.max, bounds.to, false);
    if bounds.multiple_of.is_some() {
        range.multiple_of = bounds.multiple_of;
    }
    range
}

const fn most(a: u64, b: Option<u64>) -> u64 {
    match b {
        Some(b) if b > a => b,
        _ => a,
    }
}

const fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) if b < a => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

/// The end of a range that leaves out more.
const fn inner<'s>(a: Option<Edge<'s>>, b: Option<Edge<'s>>, is_min: bool) -> Option<Edge<'s>> {
    let (Some(own), Some(other)) = (a, b) else {
        return if a.is_some() { a } else { b };
    };
    let (x, y) = (own.at.value, other.at.value);
    let (is_inside, is_outside) = if is_min {
        (x > y, x < y)
    } else {
        (x < y, x > y)
    };
    if is_inside || (own.exclusive && !is_outside) {
        a
    } else {
        b
    }
}
