//! Bounds on a type that has bounds of its own: both hold.

use std::cmp::Ordering;

use crate::shape::{Bounds, Edge, IntegerRange, Kind, NumberRange, Shape, Side};

/// A shape without its outer layers: bounds applied, `null` and the side taken off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bare<'s> {
    pub(crate) kind: Kind<'s>,
    /// True if `null` is admitted too.
    pub(crate) nullable: bool,
    /// The first words on the way in; empty for none.
    pub(crate) description: &'s str,
    pub(crate) title: &'s str,
    /// True if a layer says that values are for the tool alone.
    pub(crate) is_secret: bool,
}

/// Takes the outer layers off a shape.
pub(crate) fn bare<'s>(shape: &Shape<'s>, output: bool) -> Bare<'s> {
    let (mut description, mut title) = ("", "");
    let (mut nullable, mut is_secret) = (false, false);
    let mut bounds: Vec<Bounds<'_>> = Vec::new();
    let core = peel(shape, output, |layer| {
        nullable |= layer.kind.adds_null();
        bounds.extend(layer.kind.bounds());
        is_secret |= layer.is_secret;
        if description.is_empty() {
            description = layer.description;
        }
        if title.is_empty() {
            title = layer.title;
        }
    });
    let mut kind = core.kind;
    for bounds in bounds.into_iter().rev() {
        kind = narrowed(kind, &bounds);
    }
    Bare {
        kind,
        nullable,
        description,
        title,
        is_secret,
    }
}

/// A shape without its outer layers, and what these say of how a value is read. Bounds are asked of
/// the shape itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peeled<'a, 's> {
    pub(crate) kind: &'a Kind<'s>,
    /// True if `null` is admitted too.
    pub(crate) nullable: bool,
    /// True if a layer says that no two elements are equal.
    pub(crate) unique: bool,
    /// True if a layer says that values are for the tool alone.
    pub(crate) is_secret: bool,
}

impl<'a, 's> Peeled<'a, 's> {
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

/// Returns the shape inside the outer layers. Each layer is shown on the way in, and so is the
/// result.
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
pub(crate) fn narrowed<'s>(kind: Kind<'s>, bounds: &Bounds<'s>) -> Kind<'s> {
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

fn higher<'s>(a: Option<Edge<'s>>, b: Option<Edge<'s>>) -> Option<Edge<'s>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(match a.at.value.total_cmp(&b.at.value) {
            Ordering::Greater => a,
            Ordering::Equal if a.exclusive => a,
            _ => b,
        }),
        (one, None) | (None, one) => one,
    }
}

fn lower<'s>(a: Option<Edge<'s>>, b: Option<Edge<'s>>) -> Option<Edge<'s>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(match a.at.value.total_cmp(&b.at.value) {
            Ordering::Less => a,
            Ordering::Equal if a.exclusive => a,
            _ => b,
        }),
        (one, None) | (None, one) => one,
    }
}
