//! Checks values without parts, and how many parts others have.
//!
//! Bounds are layers around a type: all of them hold, but of `pattern`, `format` and `multiple_of`,
//! where only the outermost is published ([`narrowed`](crate::narrowed)).

use std::borrow::Cow;
use std::cmp::Ordering;

use toolwright_json::{Decimal, Integer, Number, Value};

use crate::decode::fault::say::json_string;
use crate::format;
use crate::shape::{
    Bounds, Edge, Int, IntegerRange, Kind, Literal, NumberRange, Rule, Shape, StringRules,
};

/// A value without parts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Leaf<'v> {
    Null,
    Bool,
    Number(Number<'v>),
    String(&'v str),
}

impl Leaf<'_> {
    fn to_json(self) -> Cow<'static, str> {
        match self {
            Self::Null => "null".into(),
            // Which of them, no shape asks.
            Self::Bool => "true".into(),
            Self::Number(number) => number.to_text().into_owned().into(),
            Self::String(text) => json_string(text).into(),
        }
    }
}

/// Rules that an outer layer has set: those of inner layers do not count.
#[derive(Default)]
struct OuterRules {
    pattern: bool,
    format: bool,
    multiple_of: bool,
}

/// Returns true if a shape admits a value.
#[inline(never)]
pub(crate) fn admits(mut shape: &Shape<'_>, leaf: Leaf<'_>) -> bool {
    let mut said = OuterRules::default();
    loop {
        shape = match (&shape.kind, leaf) {
            (Kind::Any | Kind::Unknown, _) => return true,
            (Kind::Foreign(foreign), _) => foreign.shape(),
            (Kind::Nullable(_), Leaf::Null) => return true,
            (Kind::Nullable(inner) | Kind::InOut { input: inner, .. }, _) => inner,
            (Kind::Recursive(back), _) => back.shape(),
            (Kind::Union(union), _) => {
                return union.members.iter().any(|member| admits(member, leaf));
            }
            (Kind::Bounded(inner, bounds), leaf) => {
                // `null` beside a bounded value is not bounded.
                let bounded = match leaf {
                    Leaf::Number(number) => bounds.admit_number(number, inner, &mut said),
                    Leaf::String(text) => bounds.admit_string(text, inner, &mut said),
                    Leaf::Null | Leaf::Bool => true,
                };
                if !bounded {
                    return false;
                }
                inner
            }
            (Kind::Rule(rule), leaf) => return admits_by(rule, leaf),
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

/// Returns true if a rule admits a value.
fn admits_by(rule: &Rule<'_>, leaf: Leaf<'_>) -> bool {
    match rule {
        Rule::Never | Rule::PrefixItems(_) | Rule::Contains(_) => false,
        Rule::Not(inner) => !admits(inner, leaf),
        Rule::If(rule) if admits(rule.condition, leaf) => admits(rule.then, leaf),
        Rule::If(rule) => admits(rule.otherwise, leaf),
        Rule::Literals(values) => is_listed(&leaf.to_json(), values),
        Rule::All(parts) => parts.iter().all(|part| admits(part, leaf)),
        Rule::OneOf(members) => members.iter().filter(|one| admits(one, leaf)).count() == 1,
        Rule::When(types, inner) => {
            let first = leaf.to_json().bytes().next();
            !first.is_some_and(|first| types.has(first)) || admits(inner, leaf)
        }
        // It is about objects and arrays.
        Rule::Text(_) => true,
    }
}

/// Returns true if an array or object may have so many parts.
pub(crate) fn admits_count(mut shape: &Shape<'_>, count: usize) -> bool {
    let count = count as u64;
    loop {
        let (min, max) = shape.kind.len_range();
        if count < min || max.is_some_and(|max| max < count) {
            return false;
        }
        match shape.layer_or_target() {
            Some(inner) => shape = inner,
            None => return true,
        }
    }
}

impl Bounds<'_> {
    fn admit_string(&self, text: &str, inner: &Shape<'_>, said: &mut OuterRules) -> bool {
        let format = self.format;
        let is_bounded = self.from.is_some() || self.to.is_some() || self.multiple_of.is_some();
        if is_bounded
            && matches!(inner.followed(), Kind::String(rules) if rules.is_number)
            && !self.admit_number_in(text, inner, said)
        {
            return false;
        }
        if !has_length(text, self.min_len.unwrap_or(0), self.max_len) {
            return false;
        }
        if let Some(pattern) = self.pattern
            && !std::mem::replace(&mut said.pattern, true)
            && !pattern.is_match(text)
        {
            return false;
        }
        if !format.is_empty() && !std::mem::replace(&mut said.format, true) {
            return format::admits(format, text);
        }
        true
    }

    /// Returns true if the number that a string holds is within the bounds, or if it holds none: the type says that.
    fn admit_number_in(&self, text: &str, inner: &Shape<'_>, said: &mut OuterRules) -> bool {
        let Ok(nearest) = text.parse() else {
            return true;
        };
        // JSON has no zeros in front.
        let (sign, digits) = text
            .strip_prefix('-')
            .map_or(("", text), |rest| ("-", rest));
        let digits = digits.trim_start_matches('0');
        let zero = if digits.starts_with(|first: char| first.is_ascii_digit()) {
            ""
        } else {
            "0"
        };
        let text = format!("{sign}{zero}{digits}");
        self.admit_number(Number::Text(&text, nearest), inner, said)
    }

    fn huge_multiple(&self, number: Number<'_>) -> bool {
        self.multiple_of
            .is_none_or(|of| is_decimal_multiple(number, of))
    }

    fn admit_number(&self, number: Number<'_>, inner: &Shape<'_>, said: &mut OuterRules) -> bool {
        if matches!(inner.kind, Kind::Integer(_)) || is_integer(inner) {
            let Some(int) = int_of(number) else {
                // The type itself says whether it has integers of any size.
                return match is_huge(number) {
                    Some(true) => self.min.is_none() && self.huge_multiple(number),
                    Some(false) => self.max.is_none() && self.huge_multiple(number),
                    None => false,
                };
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

/// Returns true for an integer below zero that 128 bits do not hold, and false for one above; `None` for others.
fn is_huge(number: Number<'_>) -> Option<bool> {
    match number {
        Number::Text(text, _) if matches!(Integer::of(text), Some(Integer::Huge)) => {
            Some(text.starts_with('-'))
        }
        _ => None,
    }
}

/// Returns true if the values are integers.
pub(crate) fn is_integer(shape: &Shape<'_>) -> bool {
    matches!(shape.followed(), Kind::Integer(_))
}

impl IntegerRange {
    fn admits(&self, number: Number<'_>, said: &OuterRules) -> bool {
        match int_of(number) {
            Some(int) => {
                self.holds(int) && (said.multiple_of || is_multiple(int, self.multiple_of))
            }
            None => self.is_unbounded() && is_huge(number).is_some(),
        }
    }

    /// Returns true if the type has this integer.
    pub(crate) fn holds(&self, int: Int) -> bool {
        self.min <= int && int <= self.max && !(self.not_zero && int.is_zero())
    }
}

impl NumberRange<'_> {
    /// Returns true if the type has a number of this size.
    pub(crate) fn is_wide_enough(&self, number: Number<'_>) -> bool {
        let Number::Text(text, value) = number else {
            // No type of float is too narrow for 64 bits.
            return true;
        };
        let value = value.abs();
        if value < self.width {
            return true;
        }
        // A number above the maximum may round to it; as an `f64` it is equal then.
        let width = format!("{:e}", self.width);
        let is_f64 = self.width >= f64::MAX;
        let unsigned = || text.strip_prefix('-').unwrap_or(text);
        value <= self.width && (is_f64 || Decimal::of(unsigned()) <= Decimal::of(&width))
    }

    fn admits(&self, number: Number<'_>, said: &OuterRules) -> bool {
        self.is_wide_enough(number)
            && within(number, self.min, self.max)
            && (said.multiple_of
                || self
                    .multiple_of
                    .is_none_or(|of| is_decimal_multiple(number, of)))
    }
}

impl StringRules<'_> {
    fn admits(&self, text: &str, said: &OuterRules) -> bool {
        has_length(text, self.min_len, self.max_len)
            && (said.pattern || self.pattern.is_none_or(|pattern| pattern.is_match(text)))
            && (said.format || self.format.is_empty() || format::admits(self.format, text))
    }
}

/// Returns true if a text has so many characters (Unicode scalar values).
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
        Number::Text(text, _) => match Integer::of(text)? {
            Integer::Unsigned(value) => Some(Int::unsigned(value)),
            Integer::Signed(value) => Some(Int::signed(value)),
            Integer::Huge => None,
        },
    }
}

fn is_multiple(int: Int, of: u64) -> bool {
    of == 0 || int.magnitude.is_multiple_of(of.into())
}

fn within(number: Number<'_>, from: Option<Edge<'_>>, to: Option<Edge<'_>>) -> bool {
    let inside = |edge: Option<Edge<'_>>, beyond: Ordering| {
        edge.is_none_or(|edge| match compare(number, edge.at) {
            Ordering::Equal => !edge.exclusive,
            order => order != beyond,
        })
    };
    inside(from, Ordering::Less) && inside(to, Ordering::Greater)
}

/// Floats decide where they differ, since rounding keeps the order; where they are equal, the decimal texts do.
fn compare(number: Number<'_>, literal: Literal<'_>) -> Ordering {
    match number.nearest().partial_cmp(&literal.value) {
        Some(Ordering::Equal) | None => {
            let text = number.to_text();
            let order = Decimal::of(&text).partial_cmp(&Decimal::of(literal.text));
            order.unwrap_or(Ordering::Equal)
        }
        Some(order) => order,
    }
}

fn is_decimal_multiple(number: Number<'_>, of: Literal<'_>) -> bool {
    let text = number.to_text();
    match (Decimal::of(&text), Decimal::of(of.text)) {
        (Some(value), Some(of)) => value.is_multiple_of(&of),
        // Both have been read as numbers.
        _ => false,
    }
}

/// Returns true if JSON equals one of some values.
pub(crate) fn is_listed(json: &str, values: &[&str]) -> bool {
    let Ok(value) = Value::parse(json) else {
        return false;
    };
    let is_number = matches!(value, Value::Number(_));
    let first = |text: &str| text.bytes().next();
    let mut values = values.iter();
    values.any(|one| {
        let may_be = is_number || first(one) == first(json);
        *one == json || may_be && Value::parse(one).is_ok_and(|one| one == value)
    })
}
