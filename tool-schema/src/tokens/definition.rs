//! A bound of the tokens that a definition takes, from its tree, at compile time.
//!
//! The text is the compact canonical form, `{"name":…,"description":…,"input_schema":…}`. Texts of a tree are counted by their
//! characters; keywords and JSON's signs in whole tokens. What JSON escapes is counted as it stands. Defaults and examples,
//! and schemas of opaque types, are known when the program runs, and count as `FUNCTION` and `FOREIGN` each.
//! `tests/it/schemas/tokens.rs` holds the sum to what is sent.

use super::{TOKEN, cost};
use crate::shape::{
    Bounds, Edge, Field, Int, IntegerRange, Kind, Literal, Map, NumberRange, Object, Pattern,
    Shape, Side, StringRules, Union, Variant,
};

/// The text around a definition's name, description and schema, with `"strict":true`.
const DEFINITION: usize = 16 * TOKEN;

/// The JSON of a default or an example, which is unknown before the program runs.
const FUNCTION: usize = 4 * TOKEN;

/// The schema of a type that has it only when the program runs.
const FOREIGN: usize = 40 * TOKEN;

/// A keyword behind a comma, with its colon, and with quotes if its value is a text: `,"minLength":`.
const KEY: usize = 4 * TOKEN;

/// A schema of one keyword without its value, or of a type: `{"anyOf":[`, `{"type":"string"}`.
const TYPED: usize = 5 * TOKEN;

/// Brackets, a comma or quotes that share no token with their neighbours.
const SIGN: usize = TOKEN;

/// An object that takes no other keys: `,"additionalProperties":false`.
const CLOSED: usize = 6 * TOKEN;

/// An object whose keys are declared, without them: `{"type":"object","properties":{}}`.
const OBJECT: usize = 9 * TOKEN;

/// `,"uniqueItems":true`.
const UNIQUE: usize = KEY + TOKEN;

/// `,"null"` in a list of types.
const NULL: usize = 4 * TOKEN;

/// Returns a number of tokens that a tool's definition does not exceed.
pub const fn bound(name: &str, description: &str, input: &Shape<'_>) -> usize {
    // A recursive type is written inline and among the definitions.
    let written = 1 + refers_back(input) as usize;
    (around(name, description) + written * schema(input, "")).div_ceil(TOKEN)
}

/// Returns the same for a definition with this JSON as its schema.
pub const fn bound_of_json(name: &str, description: &str, input: &str) -> usize {
    (around(name, description) + cost(input, b':')).div_ceil(TOKEN)
}

const fn refers_back(shape: &Shape<'_>) -> bool {
    if matches!(shape.kind, Kind::Recursive(_)) {
        return true;
    }
    let mut index = 0;
    while let Some(child) = shape.kind.child(index) {
        if refers_back(child.shape) {
            return true;
        }
        index += 1;
    }
    false
}

const fn around(name: &str, description: &str) -> usize {
    DEFINITION + quoted(name) + quoted(description)
}

/// Returns the cost of a text behind a quotation mark.
const fn quoted(text: &str) -> usize {
    cost(text, b'"')
}

/// Returns the cost of a keyword with this text; nothing of an empty one.
const fn optional_text(text: &str) -> usize {
    !text.is_empty() as usize * KEY + quoted(text)
}

/// Returns the cost of a schema; with this description in place of the type's, unless it is empty.
const fn schema(shape: &Shape<'_>, description: &str) -> usize {
    let mut words = description;
    let mut title = "";
    let mut bounds = 0;
    let mut is_nullable = false;
    let mut layer = shape;
    let kind = loop {
        if words.is_empty() {
            words = layer.description;
        }
        if title.is_empty() {
            title = layer.title;
        }
        is_nullable |= layer.kind.adds_null();
        if let Some(more) = layer.kind.bounds() {
            bounds += self::bounds(more);
        }
        layer = match layer.kind.layer_or_only_member(Side::Input) {
            Some(inner) => inner,
            None => break &layer.kind,
        };
    };
    let null = is_nullable as usize
        * match kind {
            Kind::Any | Kind::Null => 0,
            Kind::Union(_) | Kind::Recursive(_) => 2 * TYPED,
            Kind::Enum(_) => 2 * NULL,
            _ => NULL,
        };
    // `[minimum 0.01]`, in the description.
    let in_words = match kind {
        Kind::String(rules) => (rules.is_number && bounds > 0) as usize * (KEY + 2 * SIGN),
        _ => 0,
    };
    self::kind(kind) + in_words + optional_text(words) + optional_text(title) + bounds + null
}

const fn kind(kind: &Kind<'_>) -> usize {
    match kind {
        Kind::Any => SIGN,
        Kind::Null | Kind::Bool => TYPED,
        Kind::Integer(range) => TYPED + integer(range),
        Kind::Number(range) => TYPED + number(range),
        Kind::String(rules) => TYPED + string(rules),
        Kind::Enum(variants) => TYPED + KEY + SIGN + self::variants(variants),
        Kind::Array(array) => {
            TYPED
                + KEY
                + schema(array.items, "")
                + lengths(array.min_len, array.max_len)
                + array.unique as usize * UNIQUE
        }
        Kind::Tuple(items) => TYPED + KEY + 2 * (KEY + TOKEN) + SIGN + places(items),
        Kind::Object(object) => {
            let (keys, required) = fields(object);
            OBJECT
                + keys
                + (required > 0) as usize * (KEY + SIGN + required)
                + !object.open as usize * CLOSED
        }
        Kind::Map(map) => self::map(map),
        Kind::Union(union) => TYPED + SIGN + members(union),
        // `{"$ref":"#/$defs/`, and the name.
        Kind::Recursive(back) => 8 * TOKEN + quoted(back.id.name),
        Kind::Foreign(_) | Kind::Rule(_) | Kind::Unknown => FOREIGN,
        Kind::Nullable(inner) | Kind::Bounded(inner, _) | Kind::InOut { input: inner, .. } => {
            schema(inner, "")
        }
    }
}

/// Returns the costs of an object's keys, and of the list of those that are required.
const fn fields(object: &Object<'_>) -> (usize, usize) {
    let (mut keys, mut required) = (0, 0);
    let mut rest = object.fields;
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_read() {
            continue;
        }
        if !field.flatten {
            let name = quoted(field.name) + SIGN;
            keys += name + self::field(field);
            if field.is_required() {
                required += name;
            }
            continue;
        }
        match field.shape.core() {
            Kind::Object(inner) => {
                let (more, needed) = fields(inner);
                keys += more;
                required += needed;
            }
            other => keys += kind(other),
        }
    }
    (keys, required)
}

/// Returns the cost of a field's schema.
const fn field(field: &Field<'_>) -> usize {
    schema(field.shape, field.description)
        + optional_text(field.title)
        + field.deprecated as usize * (KEY + TOKEN)
        + field.default.is_some() as usize * (KEY + FUNCTION)
        + field.example.is_some() as usize * (KEY + SIGN + FUNCTION)
}

/// Returns the cost of an enum's values, and of their meanings in the description.
const fn variants(variants: &[Variant<'_>]) -> usize {
    let (mut names, mut meanings) = (0, 0);
    let mut rest = variants;
    while let [variant, tail @ ..] = rest {
        let name = quoted(variant.name) + SIGN;
        names += name;
        if !variant.description.is_empty() {
            // `name: description; `.
            meanings += name + quoted(variant.description) + SIGN;
        }
        rest = tail;
    }
    names + (meanings > 0) as usize * KEY + meanings
}

const fn places(items: &[&Shape<'_>]) -> usize {
    let mut cost = 0;
    let mut rest = items;
    while let [item, tail @ ..] = rest {
        cost += schema(item, "");
        rest = tail;
    }
    cost
}

const fn members(union: &Union<'_>) -> usize {
    let mut cost = 0;
    let mut rest = union.members;
    while let [member, tail @ ..] = rest {
        cost += schema(member, "");
        rest = tail;
    }
    cost
}

const fn map(map: &Map<'_>) -> usize {
    let values = schema(map.values, "");
    let open = TYPED + KEY + values;
    let names = KEY + SIGN;
    let own = match map.keys.core() {
        Kind::Enum(variants) => {
            OBJECT + CLOSED + self::variants(variants) + variants.len() * (values + SIGN)
        }
        Kind::Bool => OBJECT + CLOSED + 2 * (values + 2 * TOKEN),
        // A pattern of a dozen signs.
        Kind::Integer(_) => open + names + KEY + 12 * TOKEN,
        Kind::String(rules) if !rules.is_any() => open + names + string(rules),
        _ => open,
    };
    own + lengths(map.min_len, map.max_len)
}

const fn integer(range: &IntegerRange) -> usize {
    let [min, max] = range.published();
    end(min)
        + end(max)
        // `,"not":{"enum":[0]}`.
        + range.not_zero as usize * 2 * KEY
        + (range.multiple_of > 0) as usize * (KEY + digits(range.multiple_of as u128))
}

const fn end(end: Option<Int>) -> usize {
    match end {
        Some(end) => KEY + int(end),
        None => 0,
    }
}

const fn number(range: &NumberRange<'_>) -> usize {
    edge(range.min) + edge(range.max) + literal(range.multiple_of)
}

const fn edge(edge: Option<Edge<'_>>) -> usize {
    match edge {
        Some(edge) => KEY + cost(edge.at.text, b':'),
        None => 0,
    }
}

const fn literal(literal: Option<Literal<'_>>) -> usize {
    match literal {
        Some(literal) => KEY + cost(literal.text, b':'),
        None => 0,
    }
}

const fn string(rules: &StringRules<'_>) -> usize {
    lengths(rules.min_len, rules.max_len) + pattern(rules.pattern) + optional_text(rules.format)
}

const fn pattern(pattern: Option<Pattern<'_>>) -> usize {
    match pattern {
        Some(pattern) => KEY + quoted(pattern.text),
        None => 0,
    }
}

const fn lengths(min: u64, max: Option<u64>) -> usize {
    let least = (min > 0) as usize * (KEY + digits(min as u128));
    match max {
        Some(max) => least + KEY + digits(max as u128),
        None => least,
    }
}

/// Returns the cost that a field's or a parameter's bounds add.
const fn bounds(bounds: &Bounds<'_>) -> usize {
    let mut cost = 0;
    if let Some(min) = bounds.min {
        cost += KEY + int(min);
    }
    if let Some(max) = bounds.max {
        cost += KEY + int(max);
    }
    let min_len = match bounds.min_len {
        Some(len) => len,
        None => 0,
    };
    cost + edge(bounds.from)
        + edge(bounds.to)
        + literal(bounds.multiple_of)
        + lengths(min_len, bounds.max_len)
        + pattern(bounds.pattern)
        + optional_text(bounds.format)
        + bounds.unique as usize * UNIQUE
}

const fn int(value: Int) -> usize {
    value.negative as usize * TOKEN + digits(value.magnitude)
}

/// Returns the cost of a number: a token holds three digits.
const fn digits(value: u128) -> usize {
    match value.checked_ilog10() {
        Some(log) => (log as usize / 3 + 1) * TOKEN,
        None => TOKEN,
    }
}
