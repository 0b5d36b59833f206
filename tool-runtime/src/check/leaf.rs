//! Values without parts, and how many parts others have.
//!
//! Bounds are layers around a type: all of them hold, but of `pattern`, `format` and `multiple_of`,
//! where only the outermost is published ([`narrowed`](crate::schema::narrowed)).

use std::cmp::Ordering;

use super::{Decimal, format};
use crate::json::{Integer, Number, float};
use crate::schema::{
    Bounds, Edge, Int, IntegerRange, Kind, Literal, NumberRange, Shape, StringRules,
};

/// A value without parts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Leaf<'v> {
    Null,
    Bool,
    Number(Number<'v>),
    String(&'v str),
}

/// What an outer layer has said, which an inner one then does not.
#[derive(Default)]
struct Said {
    pattern: bool,
    format: bool,
    multiple_of: bool,
}

/// Whether a shape admits a value.
pub(crate) fn admits(mut shape: &Shape, leaf: Leaf<'_>) -> bool {
    let mut said = Said::default();
    loop {
        shape = match (&shape.kind, leaf) {
            (Kind::Any | Kind::Foreign(_) | Kind::Unknown, _) => return true,
            (Kind::Nullable(_), Leaf::Null) => return true,
            (Kind::Nullable(inner) | Kind::Sides { input: inner, .. }, _) => inner,
            (Kind::Back(back), _) => (back.shape)(),
            (Kind::Union(union), _) => {
                return union.members.iter().any(|member| admits(member, leaf));
            }
            (Kind::Narrow(inner, bounds), leaf) => {
                // `null` beside a bounded value is not bounded.
                let bounded = match leaf {
                    Leaf::Number(number) => bounds.admit_number(number, inner, &mut said),
                    Leaf::String(text) => bounds.admit_string(text, &mut said),
                    Leaf::Null | Leaf::Bool => true,
                };
                if !bounded {
                    return false;
                }
                inner
            }
            (Kind::Null, Leaf::Null) | (Kind::Bool, Leaf::Bool) => return true,
            (Kind::Integer(range), Leaf::Number(number)) => return range.admits(number, &said),
            (Kind::Number(range), Leaf::Number(number)) => return range.admits(number, &said),
            (Kind::String(rules), Leaf::String(text)) => return rules.admits(text, &said),
            (Kind::Enum(variants), Leaf::String(text)) => {
                return variants.iter().any(|variant| variant.is_read_as(text));
            }
            _ => return false,
        }
    }
}

/// Whether an array or object may have so many parts.
pub(crate) fn admits_count(mut shape: &Shape, count: usize) -> bool {
    let count = count as u64;
    let within = |min: u64, max: Option<u64>| min <= count && max.is_none_or(|max| count <= max);
    loop {
        shape = match &shape.kind {
            Kind::Nullable(inner) | Kind::Sides { input: inner, .. } => inner,
            Kind::Back(back) => (back.shape)(),
            Kind::Narrow(inner, bounds) => {
                if !within(bounds.min_len.unwrap_or(0), bounds.max_len) {
                    return false;
                }
                inner
            }
            Kind::Array(array) => return within(array.min_len, array.max_len),
            Kind::Map(map) => return within(map.min_len, map.max_len),
            Kind::Tuple(items) => return count == items.len() as u64,
            _ => return true,
        }
    }
}

impl Bounds {
    fn admit_string(&self, text: &str, said: &mut Said) -> bool {
        let format = self.format;
        if !has_length(text, self.min_len.unwrap_or(0), self.max_len) {
            return false;
        }
        if let Some(pattern) = self.pattern
            && !std::mem::replace(&mut said.pattern, true)
            && !(pattern.matches)(text)
        {
            return false;
        }
        if !format.is_empty() && !std::mem::replace(&mut said.format, true) {
            return format::admits(format, text);
        }
        true
    }

    fn admit_number(&self, number: Number<'_>, inner: &Shape, said: &mut Said) -> bool {
        if is_integer(inner) {
            let Some(int) = int_of(number) else {
                return false;
            };
            return self.min.is_none_or(|min| min <= int)
                && self.max.is_none_or(|max| int <= max)
                && match self.multiple_of {
                    Some(of) if !std::mem::replace(&mut said.multiple_of, true) => {
                        is_multiple(int, of.text.parse().unwrap_or(0))
                    }
                    _ => true,
                };
        }
        within(number, self.from, self.to)
            && match self.multiple_of {
                Some(of) if !std::mem::replace(&mut said.multiple_of, true) => {
                    is_decimal_multiple(number, of)
                }
                _ => true,
            }
    }
}

/// Whether the values are integers.
pub(crate) fn is_integer(mut shape: &Shape) -> bool {
    loop {
        shape = match &shape.kind {
            Kind::Nullable(inner) | Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => {
                inner
            }
            Kind::Back(back) => (back.shape)(),
            Kind::Integer(_) => return true,
            _ => return false,
        }
    }
}

impl IntegerRange {
    fn admits(&self, number: Number<'_>, said: &Said) -> bool {
        int_of(number).is_some_and(|int| {
            self.holds(int) && (said.multiple_of || is_multiple(int, self.multiple_of))
        })
    }

    /// Whether the type has this integer.
    pub(crate) fn holds(&self, int: Int) -> bool {
        self.min <= int && int <= self.max && !(self.not_zero && int.is_zero())
    }
}

impl NumberRange {
    /// Whether the type has a number of this size.
    pub(crate) fn is_wide_enough(&self, number: Number<'_>) -> bool {
        let Number::Text(text) = number else {
            // No type of float is too narrow for 64 bits.
            return true;
        };
        if text.len() < 38 && !text.contains(['e', 'E']) {
            // Nor for as many digits.
            return true;
        }
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let value = float(unsigned);
        if value < self.width {
            return true;
        }
        // What is rounded to the width may be above it; of `f64` it is the same number then.
        let width = format!("{:e}", self.width);
        let is_f64 = self.width >= f64::MAX;
        value <= self.width && (is_f64 || Decimal::of(unsigned) <= Decimal::of(&width))
    }

    fn admits(&self, number: Number<'_>, said: &Said) -> bool {
        self.is_wide_enough(number)
            && within(number, self.min, self.max)
            && (said.multiple_of
                || self
                    .multiple_of
                    .is_none_or(|of| is_decimal_multiple(number, of)))
    }
}

impl StringRules {
    fn admits(&self, text: &str, said: &Said) -> bool {
        has_length(text, self.min_len, self.max_len)
            && (said.pattern || self.pattern.is_none_or(|pattern| (pattern.matches)(text)))
            && (said.format || self.format.is_empty() || format::admits(self.format, text))
    }
}

/// Whether a text has so many characters (Unicode scalar values).
fn has_length(text: &str, min: u64, max: Option<u64>) -> bool {
    if min == 0 && max.is_none() {
        return true;
    }
    // A character is one byte at least, and four at most.
    let bytes = text.len() as u64;
    if bytes < min || max.is_some_and(|max| bytes > max.saturating_mul(4)) {
        return false;
    }
    if min.saturating_mul(4) <= bytes && max.is_none_or(|max| bytes <= max) {
        return true;
    }
    let count = text.chars().count() as u64;
    min <= count && max.is_none_or(|max| count <= max)
}

/// The integer that a number is, if one of Rust's types holds it.
pub(crate) fn int_of(number: Number<'_>) -> Option<Int> {
    match number {
        Number::Unsigned(value) => Some(Int::unsigned(value.into())),
        Number::Signed(value) => Some(Int::signed(value.into())),
        Number::Text(text) => match Integer::of(text).ok()? {
            Integer::Unsigned(value) => Some(Int::unsigned(value)),
            Integer::Signed(value) => Some(Int::signed(value)),
            Integer::Huge => None,
        },
    }
}

fn is_multiple(int: Int, of: u64) -> bool {
    of == 0 || int.magnitude.is_multiple_of(of.into())
}

fn within(number: Number<'_>, from: Option<Edge>, to: Option<Edge>) -> bool {
    let inside = |edge: Option<Edge>, beyond: Ordering| {
        edge.is_none_or(|edge| match compare(number, edge.at) {
            Ordering::Equal => !edge.exclusive,
            order => order != beyond,
        })
    };
    inside(from, Ordering::Less) && inside(to, Ordering::Greater)
}

/// Floats decide where they differ, since rounding keeps the order; where they are equal, the
/// decimal texts do.
fn compare(number: Number<'_>, literal: Literal) -> Ordering {
    #[allow(clippy::cast_precision_loss)] // See above.
    let value = match number {
        Number::Unsigned(value) => value as f64,
        Number::Signed(value) => value as f64,
        Number::Text(text) => float(text),
    };
    match value.partial_cmp(&literal.value) {
        Some(Ordering::Equal) | None => {
            let text = number.to_text();
            let order = Decimal::of(&text).partial_cmp(&Decimal::of(literal.text));
            order.unwrap_or(Ordering::Equal)
        }
        Some(order) => order,
    }
}

fn is_decimal_multiple(number: Number<'_>, of: Literal) -> bool {
    let text = number.to_text();
    match (Decimal::of(&text), Decimal::of(of.text)) {
        (Some(value), Some(of)) => value.is_multiple_of(&of),
        // Both have been read as numbers.
        _ => false,
    }
}
