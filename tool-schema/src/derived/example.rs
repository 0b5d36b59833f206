//! Checks at compile time that an example in an attribute is one of its shape. What a tree does not tell in `const`
//! is left to `Toolset::check` and the test kit: formats, patterns, recursive types, and types that schemars alone
//! knows.

mod keys;
mod lists;
mod scalar;

use self::keys::{Found, find, map, object, unknown, variant};
use self::lists::{elements, not_unique, repeated, tuple};
use self::scalar::{count, in_range, integer, length, length_bounds, number};
use crate::shape::{Bounds, Kind, Shape, Union};
use crate::text::{ConstText, same};

/// A JSON literal. Its parts are numbered in their order: a value has a number, and a list or an object one more, of the
/// bracket that closes it; a key has the number before its value's.
#[derive(Debug, Clone, Copy)]
pub enum Json {
    /// `null`
    Null(usize),
    /// `true` or `false`
    Bool(usize),
    /// A number, as text and as near as an `f64` is.
    Number(usize, &'static str, f64),
    /// A string.
    String(usize, &'static str),
    /// A list.
    Array(usize, &'static [Json]),
    /// An object.
    Object(usize, &'static [(&'static str, Json)]),
}

impl Json {
    const fn at(&self) -> usize {
        match self {
            Self::Null(at)
            | Self::Bool(at)
            | Self::Number(at, ..)
            | Self::String(at, _)
            | Self::Array(at, _)
            | Self::Object(at, _) => *at,
        }
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Null(_) => "`null`",
            Self::Bool(_) => "a boolean",
            Self::Number(..) => "a number",
            Self::String(..) => "a string",
            Self::Array(..) => "a list",
            Self::Object(..) => "an object",
        }
    }

    /// Returns true if both certainly are the same value.
    const fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(_, a, _), Self::Number(_, b, _))
            | (Self::String(_, a), Self::String(_, b)) => same(a, b),
            (Self::Array(_, a), Self::Array(_, b)) => {
                let (mut a, mut b) = (*a, *b);
                while let ([one, a_rest @ ..], [other, b_rest @ ..]) = (a, b) {
                    if !one.is(other) {
                        return false;
                    }
                    (a, b) = (a_rest, b_rest);
                }
                a.is_empty() && b.is_empty()
            }
            (Self::Null(_), Self::Null(_)) => true,
            _ => false,
        }
    }
}

/// Verdict of a literal: where it is wrong, if it is.
pub struct Misfit {
    at: usize,
    text: ConstText,
}

impl Misfit {
    const NONE: Self = Self {
        at: usize::MAX,
        text: ConstText::new(),
    };

    const fn new(at: usize) -> Self {
        Self {
            at,
            text: ConstText::new(),
        }
    }

    /// Refuses the part of this number if it is the wrong one.
    ///
    /// # Panics
    /// At the caller's place, with the edit to make.
    #[track_caller]
    pub const fn refuse(&self, at: usize) {
        assert!(self.at != at, "{}", self.text.as_str());
    }
}

/// What a value stands behind, for messages.
#[derive(Clone, Copy)]
struct Place {
    /// The nearest key, or nothing for the arguments of `tool`.
    key: &'static str,
    /// The value is an element of what stands there.
    is_element: bool,
    tool: &'static str,
}

impl Place {
    const fn key(self, key: &'static str) -> Self {
        Self {
            key,
            is_element: false,
            ..self
        }
    }

    const fn element(self) -> Self {
        Self {
            is_element: true,
            ..self
        }
    }

    const fn say(self, text: &mut ConstText) {
        if self.is_element {
            text.push("an element of ");
        }
        if self.key.is_empty() {
            text.push("tool ");
        }
        text.push("`");
        text.push(if self.key.is_empty() {
            self.tool
        } else {
            self.key
        });
        text.push("`");
    }
}

/// Holds the arguments of an example against a tool's.
pub const fn misfit(tool: &'static str, arguments: &Shape<'static>, json: &Json) -> Misfit {
    let place = Place {
        key: "",
        is_element: false,
        tool,
    };
    match check(arguments, json, place) {
        Some(misfit) => misfit,
        None => Misfit::NONE,
    }
}

/// Holds the example of one argument against it.
pub const fn argument_misfit(
    tool: &'static str,
    arguments: &Shape<'static>,
    name: &'static str,
    json: &Json,
) -> Misfit {
    let place = Place {
        key: name,
        is_element: false,
        tool,
    };
    if let Kind::Object(object) = arguments.core()
        && let Found::Field(field) = find(object.fields, name)
        && let Some(misfit) = check(field.shape, json, place)
    {
        return misfit;
    }
    Misfit::NONE
}

/// Refuses the name of an argument that a tool lacks, or of a key inside one.
///
/// # Panics
/// At the caller's place, with the edit to make.
#[track_caller]
pub const fn has_argument(tool: &'static str, arguments: &Shape<'static>, steps: &[&'static str]) {
    let (mut kind, mut steps) = (arguments.only_core(), steps);
    let mut place = Place {
        key: "",
        is_element: false,
        tool,
    };
    while let [step, rest @ ..] = steps {
        kind = match kind {
            Kind::Array(array) => array.items.only_core(),
            Kind::Object(object) => match find(object.fields, step) {
                Found::Field(field) => {
                    (steps, place) = (rest, place.key(field.name));
                    field.shape.only_core()
                }
                Found::Nothing => {
                    let misfit = unknown(object.fields, 0, step, place);
                    panic!("{}", misfit.text.as_str());
                }
                Found::Unsure => return,
            },
            Kind::Union(_) if may_lead(kind, steps) => return,
            Kind::Union(_) => {
                let mut text = ConstText::new();
                text.push("no variant of ");
                place.say(&mut text);
                text.push(" has the key `");
                text.push(step);
                text.push(if rest.is_empty() {
                    "`"
                } else {
                    "`, or what is named in it"
                });
                text.push("\nhelp: name a key of a variant, as JSON has it, or ");
                place.say(&mut text);
                text.push(" alone");
                panic!("{}", text.as_str());
            }
            kind if kind.is_opaque() || matches!(kind, Kind::Map(_)) => return,
            Kind::Recursive(_) | Kind::Unknown => return,
            _ => {
                let mut text = ConstText::new();
                place.say(&mut text);
                text.push(" has no keys, and so no `");
                text.push(step);
                text.push("`\nhelp: name ");
                place.say(&mut text);
                text.push(" alone");
                panic!("{}", text.as_str());
            }
        };
    }
}

/// Returns false if these keys certainly lead nowhere.
const fn may_lead(kind: &Kind<'static>, steps: &[&'static str]) -> bool {
    let [step, rest @ ..] = steps else {
        return true;
    };
    match kind {
        Kind::Array(array) => may_lead(array.items.only_core(), steps),
        Kind::Object(object) => match find(object.fields, step) {
            Found::Field(field) => may_lead(field.shape.only_core(), rest),
            Found::Nothing => false,
            Found::Unsure => true,
        },
        Kind::Union(union) => {
            let mut members = union.members;
            while let [member, others @ ..] = members {
                if may_lead(member.only_core(), steps) {
                    return true;
                }
                members = others;
            }
            false
        }
        Kind::Map(_) | Kind::Recursive(_) | Kind::Unknown => true,
        kind => kind.is_opaque(),
    }
}

const fn check(shape: &Shape<'static>, json: &Json, place: Place) -> Option<Misfit> {
    match (&shape.kind, json) {
        (Kind::Any | Kind::Recursive(_) | Kind::Foreign(_) | Kind::Rule(_) | Kind::Unknown, _)
        | (Kind::Null | Kind::Nullable(_), Json::Null(_))
        | (Kind::Bool, Json::Bool(_)) => None,
        (Kind::Nullable(inner) | Kind::InOut { input: inner, .. }, _) => check(inner, json, place),
        (Kind::Bounded(inner, bounds), _) => match check(inner, json, place) {
            None => within(bounds, json, place),
            misfit => misfit,
        },
        (Kind::Integer(range), Json::Number(at, text, _)) => integer(range, *at, text, place),
        (Kind::Number(range), Json::Number(at, _, value)) => number(range, *at, *value, place),
        (Kind::String(rules), Json::String(at, text)) => length(
            *at,
            count(text),
            rules.min_len,
            rules.max_len,
            place,
            " characters",
        ),
        (Kind::Enum(variants), Json::String(at, text)) => variant(variants, *at, text, place),
        (Kind::Array(array), Json::Array(at, items)) => elements(array, *at, items, place),
        (Kind::Tuple(shapes), Json::Array(at, items)) => tuple(shapes, *at, items, place),
        (Kind::Object(own), Json::Object(at, members)) => object(own, *at, members, place),
        (Kind::Map(own), Json::Object(at, members)) => map(own, *at, members, place),
        (Kind::Union(own), _) => union(own, json, place),
        (kind, _) => Some(wrong_type(kind, json, place)),
    }
}

/// What the bounds of a field or a parameter say; those of its type come first.
const fn within(bounds: &Bounds<'_>, json: &Json, place: Place) -> Option<Misfit> {
    match json {
        Json::Number(at, text, value) => in_range(bounds, *at, text, *value, place),
        Json::String(at, text) => length_bounds(bounds, *at, count(text), place, " characters"),
        Json::Array(at, items) => {
            if bounds.unique
                && let Some(twice) = repeated(items)
            {
                return Some(not_unique(twice, place));
            }
            length_bounds(bounds, *at + 1, items.len() as u64, place, " elements")
        }
        Json::Object(at, members) => {
            length_bounds(bounds, *at + 1, members.len() as u64, place, " entries")
        }
        Json::Null(_) | Json::Bool(_) => None,
    }
}

const fn wrong_type(kind: &Kind<'_>, json: &Json, place: Place) -> Misfit {
    let (takes, write) = match kind {
        Kind::Null => ("nothing but `null`", "write `null`"),
        Kind::Bool => ("`true` or `false`", "write one of these, without quotes"),
        Kind::Integer(_) => ("a whole number", "write one, without quotes"),
        Kind::Number(_) => ("a number", "write one, without quotes"),
        Kind::String(_) => ("a string", "write it in quotes"),
        Kind::Enum(_) => ("a name", "write one of its names, in quotes"),
        Kind::Array(_) | Kind::Tuple(_) => ("a list", "write one: `[…]`"),
        _ => ("an object", "write one: `{\"key\": …}`"),
    };
    let mut misfit = Misfit::new(json.at());
    place.say(&mut misfit.text);
    misfit.text.push(" takes ");
    misfit.text.push(takes);
    misfit.text.push(", and this is ");
    misfit.text.push(json.kind());
    misfit.text.push("\nhelp: ");
    misfit.text.push(write);
    if matches!(json, Json::Null(_)) {
        misfit.text.push("; only an `Option` takes `null`");
    }
    misfit
}

/// A value of several types is wrong where the type is that it comes furthest with.
const fn union(union: &Union<'static>, json: &Json, place: Place) -> Option<Misfit> {
    let mut furthest: Option<Misfit> = None;
    let mut rest = union.members;
    while let [member, tail @ ..] = rest {
        rest = tail;
        let Some(misfit) = check(member, json, place) else {
            return None;
        };
        let is_further = match &furthest {
            Some(other) => misfit.at > other.at,
            None => true,
        };
        if is_further {
            furthest = Some(misfit);
        }
    }
    match furthest {
        Some(misfit) if misfit.at == json.at() && union.members.len() > 1 => {
            let mut misfit = Misfit::new(json.at());
            place.say(&mut misfit.text);
            misfit.text.push(" takes one of ");
            misfit.text.push_number(union.members.len());
            misfit.text.push(" forms, and this is none of them: it is ");
            misfit.text.push(json.kind());
            misfit
                .text
                .push("\nhelp: write one of its variants, as its schema has them");
            Some(misfit)
        }
        other => other,
    }
}
