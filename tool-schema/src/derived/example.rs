//! Checks at compile time that an example in an attribute is one of its shape. What a tree does not tell in `const`
//! is left to `Toolset::check` and the test kit: formats, patterns, recursive types, and types that schemars alone
//! knows.

use super::fits::is_above;
use crate::shape::{
    Array, Bounds, Edge, Field, Int, IntegerRange, Kind, Map, NumberRange, Object, Shape, Union,
    Variant,
};
use crate::text::{ConstText, nearer, same};

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

/// What a number says of whole numbers.
enum Whole {
    Is(Int),
    Not,
    /// It has an exponent, or more than 128 bits.
    Unsure,
}

const fn whole(text: &str) -> Whole {
    let (negative, mut rest) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        all => (false, all),
    };
    let (mut magnitude, mut in_fraction) = (0_u128, false);
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            b'0' if in_fraction => {}
            b'1'..=b'9' if in_fraction => return Whole::Not,
            b'.' => in_fraction = true,
            b'0'..=b'9' => match magnitude.checked_mul(10) {
                Some(tens) => match tens.checked_add((*byte - b'0') as u128) {
                    Some(sum) => magnitude = sum,
                    None => return Whole::Unsure,
                },
                None => return Whole::Unsure,
            },
            _ => return Whole::Unsure,
        }
    }
    Whole::Is(Int {
        negative: negative && magnitude > 0,
        magnitude,
    })
}

const fn integer(range: &IntegerRange, at: usize, text: &str, place: Place) -> Option<Misfit> {
    let value = match whole(text) {
        Whole::Is(value) => value,
        Whole::Unsure => return None,
        Whole::Not => {
            let mut misfit = Misfit::new(at);
            place.say(&mut misfit.text);
            misfit
                .text
                .push(" takes a whole number, and this is none\nhelp: write it without a fraction");
            return Some(misfit);
        }
    };
    let is_refused = is_above(range.min, value)
        || is_above(value, range.max)
        || range.not_zero && value.is_zero();
    if is_refused {
        let mut misfit = Misfit::new(at);
        place.say(&mut misfit.text);
        misfit.text.push(" takes whole numbers from ");
        push_int(&mut misfit.text, range.min);
        misfit.text.push(" to ");
        push_int(&mut misfit.text, range.max);
        if range.not_zero {
            misfit.text.push(", but not 0");
        }
        misfit
            .text
            .push("\nhelp: write one of these, or take a wider type");
        return Some(misfit);
    }
    None
}

const fn number(range: &NumberRange<'_>, at: usize, value: f64, place: Place) -> Option<Misfit> {
    if value > range.width || value < -range.width {
        let mut misfit = Misfit::new(at);
        place.say(&mut misfit.text);
        misfit
            .text
            .push(" takes no number of this size\nhelp: write a smaller one, or take a wider type");
        return Some(misfit);
    }
    None
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

const fn in_range(
    bounds: &Bounds<'_>,
    at: usize,
    text: &str,
    value: f64,
    place: Place,
) -> Option<Misfit> {
    let whole = match whole(text) {
        Whole::Is(value) => Some(value),
        _ => None,
    };
    let is_low = match (bounds.min, whole, bounds.from) {
        (Some(min), Some(whole), _) => is_above(min, whole),
        (_, _, Some(Edge { at, exclusive })) => value < at.value || exclusive && value <= at.value,
        _ => false,
    };
    let is_high = match (bounds.max, whole, bounds.to) {
        (Some(max), Some(whole), _) => is_above(whole, max),
        (_, _, Some(Edge { at, exclusive })) => value > at.value || exclusive && value >= at.value,
        _ => false,
    };
    if is_low || is_high {
        let mut misfit = Misfit::new(at);
        misfit.text.push("this number is ");
        misfit.text.push(if is_low { "below" } else { "above" });
        misfit.text.push(" the `range` of ");
        place.say(&mut misfit.text);
        let (edge, int) = if is_low {
            (bounds.from, bounds.min)
        } else {
            (bounds.to, bounds.max)
        };
        misfit.text.push("\nhelp: write one that is ");
        match (int, edge) {
            (Some(int), _) => {
                push_int(&mut misfit.text, int);
                misfit
                    .text
                    .push(if is_low { " or more" } else { " or less" });
            }
            (None, Some(Edge { at, exclusive })) => {
                misfit.text.push(match (is_low, exclusive) {
                    (true, true) => "above ",
                    (true, false) => "at least ",
                    (false, true) => "below ",
                    (false, false) => "at most ",
                });
                misfit.text.push(at.text);
            }
            _ => misfit.text.push("in it"),
        }
        misfit.text.push(", or widen the range");
        return Some(misfit);
    }
    if let (Some(of), Some(whole)) = (bounds.multiple_of, whole)
        && let Whole::Is(step) = self::whole(of.text)
        && step.magnitude > 0
        && !whole.magnitude.is_multiple_of(step.magnitude)
    {
        let mut misfit = Misfit::new(at);
        place.say(&mut misfit.text);
        misfit.text.push(" takes multiples of ");
        misfit.text.push(of.text);
        misfit.text.push("\nhelp: write one");
        return Some(misfit);
    }
    None
}

const fn length_bounds(
    bounds: &Bounds<'_>,
    at: usize,
    len: u64,
    place: Place,
    of: &str,
) -> Option<Misfit> {
    let min = match bounds.min_len {
        Some(min) => min,
        None => 0,
    };
    length(at, len, min, bounds.max_len, place, of)
}

const fn length(
    at: usize,
    len: u64,
    min: u64,
    max: Option<u64>,
    place: Place,
    of: &str,
) -> Option<Misfit> {
    let (limit, is_short) = match max {
        _ if len < min => (min, true),
        Some(max) if len > max => (max, false),
        _ => return None,
    };
    let mut misfit = Misfit::new(at);
    place.say(&mut misfit.text);
    misfit.text.push(if is_short {
        " takes at least "
    } else {
        " takes at most "
    });
    push_int(&mut misfit.text, Int::unsigned(limit as u128));
    misfit.text.push(of);
    misfit.text.push(", and this has ");
    push_int(&mut misfit.text, Int::unsigned(len as u128));
    misfit.text.push("\nhelp: ");
    misfit.text.push(if is_short {
        "write a longer one, or lower its `len`"
    } else {
        "write a shorter one, or raise its `len`"
    });
    Some(misfit)
}

/// Number of characters: of bytes that begin one.
const fn count(text: &str) -> u64 {
    let (mut count, mut rest) = (0, text.as_bytes());
    while let [byte, tail @ ..] = rest {
        count += (*byte & 0xc0 != 0x80) as u64;
        rest = tail;
    }
    count
}

const fn push_int(text: &mut ConstText, value: Int) {
    if value.negative {
        text.push("-");
    }
    push_digits(text, value.magnitude);
}

const fn push_digits(text: &mut ConstText, value: u128) {
    if value > 9 {
        push_digits(text, value / 10);
    }
    // One digit.
    #[allow(clippy::cast_possible_truncation)]
    text.push_number((value % 10) as usize);
}

const fn variant(
    variants: &[Variant<'static>],
    at: usize,
    name: &str,
    place: Place,
) -> Option<Misfit> {
    let mut nearest = None;
    let mut rest = variants;
    while let [variant, tail @ ..] = rest {
        if same(variant.name, name) || is_one_of(variant.aliases, name) {
            return None;
        }
        nearer(name, variant.name, &mut nearest);
        rest = tail;
    }
    let mut misfit = Misfit::new(at);
    misfit.text.push("`");
    misfit.text.push(name);
    misfit.text.push("` is no value of ");
    place.say(&mut misfit.text);
    did_you_mean(&mut misfit.text, nearest);
    misfit.text.push("the values are ");
    let mut rest = variants;
    while let [variant, tail @ ..] = rest {
        quoted(&mut misfit.text, variant.name, tail.is_empty());
        rest = tail;
    }
    Some(misfit)
}

const fn did_you_mean(text: &mut ConstText, nearest: Option<(&str, usize)>) {
    text.push("\nhelp: ");
    if let Some((near, _)) = nearest {
        text.push("did you mean `");
        text.push(near);
        text.push("`? ");
    }
}

const fn quoted(text: &mut ConstText, name: &str, is_last: bool) {
    text.push("`");
    text.push(name);
    text.push(if is_last { "`" } else { "`, " });
}

const fn is_one_of(mut names: &[&str], name: &str) -> bool {
    while let [one, tail @ ..] = names {
        if same(one, name) {
            return true;
        }
        names = tail;
    }
    false
}

const fn elements(
    array: &Array<'static>,
    at: usize,
    items: &[Json],
    place: Place,
) -> Option<Misfit> {
    let mut rest = items;
    while let [item, tail @ ..] = rest {
        if let Some(misfit) = check(array.items, item, place.element()) {
            return Some(misfit);
        }
        rest = tail;
    }
    if array.unique
        && let Some(twice) = repeated(items)
    {
        return Some(not_unique(twice, place));
    }
    let len = items.len() as u64;
    length(
        at + 1,
        len,
        array.min_len,
        array.max_len,
        place,
        " elements",
    )
}

const fn repeated(items: &[Json]) -> Option<usize> {
    let mut rest = items;
    while let [item, tail @ ..] = rest {
        let mut others = tail;
        while let [other, more @ ..] = others {
            if item.is(other) {
                return Some(other.at());
            }
            others = more;
        }
        rest = tail;
    }
    None
}

const fn not_unique(at: usize, place: Place) -> Misfit {
    let mut misfit = Misfit::new(at);
    misfit.text.push("no two elements of ");
    place.say(&mut misfit.text);
    misfit
        .text
        .push(" are equal, and this one stands there already\nhelp: remove it");
    misfit
}

const fn tuple(
    shapes: &[&'static Shape<'static>],
    at: usize,
    items: &[Json],
    place: Place,
) -> Option<Misfit> {
    let (mut shapes_left, mut rest) = (shapes, items);
    while let ([shape, shapes_tail @ ..], [item, tail @ ..]) = (shapes_left, rest) {
        if let Some(misfit) = check(shape, item, place.element()) {
            return Some(misfit);
        }
        (shapes_left, rest) = (shapes_tail, tail);
    }
    if shapes_left.is_empty() && rest.is_empty() {
        return None;
    }
    let mut misfit = Misfit::new(at + 1);
    place.say(&mut misfit.text);
    misfit.text.push(" takes a list of ");
    misfit.text.push_number(shapes.len());
    misfit.text.push(", and this has ");
    misfit.text.push_number(items.len());
    misfit.text.push("\nhelp: write as many elements");
    Some(misfit)
}

/// What an object has behind a key.
enum Found {
    Field(&'static Field<'static>),
    /// It cannot be known here: another type stands in the place of a field.
    Unsure,
    Nothing,
}

const fn find(fields: &'static [Field<'static>], key: &str) -> Found {
    let (mut rest, mut is_sure) = (fields, true);
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_read() {
            continue;
        }
        if field.flatten {
            let inner = match field.shape.only_core() {
                Kind::Object(inner) => find(inner.fields, key),
                _ => Found::Unsure,
            };
            match inner {
                Found::Field(field) => return Found::Field(field),
                Found::Unsure => is_sure = false,
                Found::Nothing => {}
            }
        } else if same(field.name, key) || is_one_of(field.aliases, key) {
            return Found::Field(field);
        }
    }
    if is_sure {
        Found::Nothing
    } else {
        Found::Unsure
    }
}

const fn object(
    object: &Object<'static>,
    at: usize,
    members: &[(&'static str, Json)],
    place: Place,
) -> Option<Misfit> {
    let mut rest = members;
    while let [(key, value), tail @ ..] = rest {
        rest = tail;
        match find(object.fields, key) {
            Found::Field(field) => {
                if let Some(misfit) = check(field.shape, value, place.key(field.name)) {
                    return Some(misfit);
                }
            }
            Found::Nothing if !object.open => {
                return Some(unknown(object.fields, value.at() - 1, key, place));
            }
            Found::Nothing | Found::Unsure => {}
        }
    }
    missing(object.fields, at + 1, members, place)
}

const fn unknown(fields: &'static [Field<'static>], at: usize, key: &str, place: Place) -> Misfit {
    let mut nearest = None;
    let mut names = ConstText::new();
    let count = known(fields, key, &mut nearest, &mut names, 0);
    let is_root = place.key.is_empty() && !place.is_element;
    let mut misfit = Misfit::new(at);
    place.say(&mut misfit.text);
    misfit.text.push(if is_root {
        " has no argument `"
    } else {
        " has no key `"
    });
    misfit.text.push(key);
    misfit.text.push("`");
    did_you_mean(&mut misfit.text, nearest);
    if count == 0 {
        misfit.text.push("remove it: there are none");
    } else {
        misfit.text.push(if is_root {
            "the arguments are "
        } else {
            "the keys are "
        });
        misfit.text.push(names.as_str());
    }
    misfit
}

/// Lists the keys of fields; returns how many there are.
const fn known(
    fields: &'static [Field<'static>],
    key: &str,
    nearest: &mut Option<(&'static str, usize)>,
    names: &mut ConstText,
    mut count: usize,
) -> usize {
    let mut rest = fields;
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_read() {
            continue;
        }
        if field.flatten {
            if let Kind::Object(inner) = field.shape.only_core() {
                count = known(inner.fields, key, nearest, names, count);
            }
            continue;
        }
        nearer(key, field.name, nearest);
        if count > 0 {
            names.push(", ");
        }
        quoted(names, field.name, true);
        count += 1;
    }
    count
}

const fn missing(
    fields: &'static [Field<'static>],
    at: usize,
    members: &[(&'static str, Json)],
    place: Place,
) -> Option<Misfit> {
    let mut rest = fields;
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_required() {
            continue;
        }
        if field.flatten {
            // Of what may be `null` serde reads all keys or none.
            if let Kind::Object(inner) = field.shape.only_core()
                && !field.shape.is_nullable()
                && let Some(misfit) = missing(inner.fields, at, members, place)
            {
                return Some(misfit);
            }
            continue;
        }
        if !is_given(members, field) {
            let mut misfit = Misfit::new(at);
            place.say(&mut misfit.text);
            misfit.text.push(" needs `");
            misfit.text.push(field.name);
            misfit
                .text
                .push("`, which this example lacks\nhelp: add `\"");
            misfit.text.push(field.name);
            misfit.text.push("\": …`, or make it an `Option`");
            return Some(misfit);
        }
    }
    None
}

const fn is_given(members: &[(&'static str, Json)], field: &Field<'_>) -> bool {
    let mut rest = members;
    while let [(key, _), tail @ ..] = rest {
        if same(field.name, key) || is_one_of(field.aliases, key) {
            return true;
        }
        rest = tail;
    }
    false
}

const fn map(
    map: &Map<'static>,
    at: usize,
    members: &[(&'static str, Json)],
    place: Place,
) -> Option<Misfit> {
    let mut rest = members;
    while let [(key, value), tail @ ..] = rest {
        rest = tail;
        if let Kind::Enum(variants) = map.keys.core()
            && let Some(misfit) = variant(variants, value.at() - 1, key, place)
        {
            return Some(misfit);
        }
        if let Some(misfit) = check(map.values, value, place.key(key)) {
            return Some(misfit);
        }
    }
    let len = members.len() as u64;
    length(at + 1, len, map.min_len, map.max_len, place, " entries")
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
