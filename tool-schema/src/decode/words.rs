//! Describes what a shape admits, for a fault.

use crate::decode::fault::say::{quoted, shortened};
use crate::shape::{IntegerRange, Kind, NumberRange, Rule, Shape, StringRules, bare};
use crate::text::listed;

/// Description of a shape that admits everything.
const ANYTHING: &str = "a JSON value";

/// Options of how a shape is described.
#[derive(Clone, Copy, Default)]
struct Wording {
    /// The ranges that types hold.
    ranges: bool,
    /// The shape is that of an array's elements, which the array's words have described.
    is_element: bool,
}

/// Describes the type that was expected: `a string`, `an integer from 1 to 99`. A range that is
/// only the width of a type goes without saying.
pub(crate) fn describe(shape: &Shape<'_>) -> String {
    words(shape, Wording::default())
}

/// Describes the values that were expected, with the range that the type holds.
pub(crate) fn describe_range(shape: &Shape<'_>) -> String {
    let wording = Wording {
        ranges: true,
        ..Wording::default()
    };
    words(shape, wording)
}

fn words(shape: &Shape<'_>, wording: Wording) -> String {
    let bare = bare(shape, false);
    let words = match &bare.kind {
        Kind::String(rules) if rules.is_number && !bare.numbers.is_any() => {
            format!(
                "{}, as {}",
                number(&bare.numbers, Wording::default()),
                string(rules)
            )
        }
        other => kind(other, shape.core(), wording),
    };
    if bare.nullable && !matches!(bare.kind, Kind::Any | Kind::Null | Kind::Unknown) {
        format!("{words} or null")
    } else {
        words
    }
}

/// The words of a kind, which has the bounds around `core`.
fn kind(kind: &Kind<'_>, core: &Kind<'_>, wording: Wording) -> String {
    match kind {
        Kind::Null => "null".into(),
        Kind::Bool => "true or false".into(),
        Kind::Integer(range) => {
            let is_unbounded = matches!(core, Kind::Integer(core) if core.is_unbounded());
            integer(range, wording, is_unbounded)
        }
        Kind::Number(range) => number(range, wording),
        Kind::String(rules) => string(rules),
        Kind::Enum(variants) => one_of(variants.iter().map(|variant| quoted(variant.name))),
        Kind::Array(array) => format!("an array{}", count(array.min_len, array.max_len, "element")),
        Kind::Tuple(items) => {
            let len = items.len() as u64;
            format!("an array{}", count(len, Some(len), "element"))
        }
        Kind::Object(_) => "an object".into(),
        Kind::Map(map) => format!("an object{}", count(map.min_len, map.max_len, "entr")),
        Kind::Union(union) => self::union(union.members, wording),
        Kind::Recursive(back) => words(back.shape(), wording),
        Kind::Rule(rule) => by_rule(rule, wording),
        _ => ANYTHING.into(),
    }
}

fn by_rule(rule: &Rule<'_>, wording: Wording) -> String {
    match rule {
        Rule::Never => "nothing".into(),
        Rule::Literals(values) => one_of(values.iter().map(|value| shortened(value))),
        // What says something, or the first.
        Rule::All(parts) => {
            let mut all = parts.iter().map(|part| words(part, wording));
            let first = all.next().unwrap_or_default();
            let mut all = std::iter::once(first.clone()).chain(all);
            all.find(|words| words != ANYTHING).unwrap_or(first)
        }
        Rule::OneOf(members) => union(members, wording),
        Rule::When(_, inner) => words(inner, wording),
        Rule::Not(inner) => format!("anything but {}", words(inner, wording)),
        Rule::If(rule) => [rule.then, rule.otherwise]
            .map(|shape| words(shape, wording))
            .join(" or "),
        Rule::PrefixItems(places) => {
            let count = count(places.min_len, places.max_len, "element");
            format!("an array{count}")
        }
        Rule::Contains(contains) => {
            // An array may hold arrays like it, without end.
            if wording.is_element {
                return "an array".into();
            }
            let wording = Wording {
                is_element: true,
                ..wording
            };
            let item = words(contains.item, wording);
            match (contains.min, contains.max) {
                (min, None) => format!("an array with at least {min} of: {item}"),
                (0, Some(max)) => format!("an array with at most {max} of: {item}"),
                (min, Some(max)) if min == max => format!("an array with {max} of: {item}"),
                (min, Some(max)) => format!("an array with {min} to {max} of: {item}"),
            }
        }
        Rule::Text(text) => format!("a value that fits {}", shortened(text.keywords)),
    }
}

fn union(members: &[Shape<'_>], wording: Wording) -> String {
    let mut found: Vec<String> = Vec::new();
    for member in members {
        let member = words(member, wording);
        if !found.contains(&member) {
            found.push(member);
        }
    }
    listed(found.into_iter(), " or ")
}

fn integer(range: &IntegerRange, wording: Wording, is_unbounded: bool) -> String {
    let IntegerRange { min, max, .. } = range;
    let multiple = match range.multiple_of {
        0 => String::new(),
        of => format!(", a multiple of {of}"),
    };
    let not_zero = if range.not_zero { ", not 0" } else { "" };
    let is_width = range.max_is_width && (range.min_is_width || min.is_zero());
    if is_width && !wording.ranges {
        let sign = if min.is_zero() { " of 0 or more" } else { "" };
        return format!("an integer{sign}{not_zero}{multiple}");
    }
    if min == max {
        return format!("the integer {min}");
    }
    let ends = (
        is_unbounded && *min == IntegerRange::UNBOUNDED.min,
        is_unbounded && *max == IntegerRange::UNBOUNDED.max,
    );
    match ends {
        (true, true) => format!("an integer{not_zero}{multiple}"),
        (true, false) => format!("an integer of at most {max}{not_zero}{multiple}"),
        (false, true) => format!("an integer of {min} or more{not_zero}{multiple}"),
        (false, false) => format!("an integer from {min} to {max}{not_zero}{multiple}"),
    }
}

fn number(range: &NumberRange<'_>, wording: Wording) -> String {
    // That every number has an end goes without saying, until one is beyond it.
    let width = wording.ranges.then_some(range.width);
    let min = match (range.min, width) {
        (Some(edge), _) if edge.exclusive => Some(format!("above {}", edge.at.text)),
        (Some(edge), _) => Some(format!("from {}", edge.at.text)),
        (None, Some(width)) => Some(format!("from {:e}", -width)),
        (None, None) => None,
    };
    let max = match (range.max, width) {
        (Some(edge), _) if edge.exclusive => Some(format!("below {}", edge.at.text)),
        (Some(edge), _) => Some(format!("to {}", edge.at.text)),
        (None, Some(width)) => Some(format!("to {width:e}")),
        (None, None) => None,
    };
    let multiple = range
        .multiple_of
        .map(|of| format!(", a multiple of {}", of.text));
    // One end alone is worded as an integer's.
    let ends = match (min, max) {
        (None, None) => String::new(),
        (Some(min), None) => match min.strip_prefix("from ") {
            Some(min) => format!(" of {min} or more"),
            None => format!(" {min}"),
        },
        (None, Some(max)) => match max.strip_prefix("to ") {
            Some(max) => format!(" of at most {max}"),
            None => format!(" {max}"),
        },
        (Some(min), Some(max)) => format!(" {min} {max}"),
    };
    format!("a number{ends}{}", multiple.unwrap_or_default())
}

fn string(rules: &StringRules<'_>) -> String {
    let count = count(rules.min_len, rules.max_len, "character");
    let format = match rules.format {
        "" => String::new(),
        format => format!(" in the format `{format}`"),
    };
    let pattern = match rules.pattern {
        None => String::new(),
        Some(pattern) => format!(" that matches `{}`", pattern.text),
    };
    format!("a string{count}{format}{pattern}")
}

/// ` of 1 to 3 elements`; nothing where any number will do.
pub(crate) fn count(min: u64, max: Option<u64>, noun: &str) -> String {
    let plural = |of: u64| match (noun, of) {
        ("entr", 1) => "entry".to_owned(),
        ("entr", _) => "entries".to_owned(),
        (noun, 1) => noun.to_owned(),
        (noun, _) => format!("{noun}s"),
    };
    match (min, max) {
        (0, None) => String::new(),
        (min, None) => format!(" of {min} or more {}", plural(2)),
        (min, Some(max)) if min == max => {
            let number = if max == 1 {
                "one".to_owned()
            } else {
                max.to_string()
            };
            format!(" of {number} {}", plural(max))
        }
        (0, Some(max)) => format!(" of at most {max} {}", plural(max)),
        (min, Some(max)) => format!(" of {min} to {max} {}", plural(max)),
    }
}

/// `one of "a", "b"`, or the one value.
pub(crate) fn one_of(names: impl ExactSizeIterator<Item = String>) -> String {
    let prefix = if names.len() == 1 { "" } else { "one of " };
    format!("{prefix}{}", listed(names, ", "))
}
