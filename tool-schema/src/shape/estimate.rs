//! Estimates the tokens that a definition costs, from its tree, at compile time.
//!
//! Tokens are counted as a quarter of the bytes of the text, which is close for English words and
//! JSON's signs. The bytes are those of the compact canonical form. They come from the lengths of
//! names and descriptions, which a tree holds, without a look at their characters. What JSON
//! escapes is counted as it stands. Defaults and examples, which are known when the program runs,
//! count as `FUNCTION` each. A dialect's own form is longer or shorter;
//! `tests/it/schemas/estimate.rs` says by how much.

use crate::keyword::Keyword;
use crate::shape::{
    Bounds, Edge, Field, Int, IntegerRange, Kind, Literal, Map, NumberRange, Object, Pattern,
    SIGNED_KEY, Shape, Side, StringRules, Union, Variant,
};

/// A token's bytes.
pub const BYTES: usize = 4;

/// Bytes around a definition's name, description and schema; between what Gemini and what
/// `OpenAI`'s chat write.
const DEFINITION: usize = r#"{"name":"","description":"","input_schema":,"strict":true},"#.len();

/// Bytes of the JSON of a default or an example, which is unknown before the program runs.
const FUNCTION: usize = 6;

/// Bytes of the schema of a type that has it only when the program runs.
const FOREIGN: usize = 120;

/// Returns the bytes of a tool's definition, about.
pub const fn definition(name: &str, description: &str, input: &Shape<'_>) -> usize {
    around(name, description) + schema(input, 0)
}

/// Returns the bytes of a tool's definition without its schema, about.
pub const fn around(name: &str, description: &str) -> usize {
    DEFINITION + name.len() + description.len()
}

/// Returns the bytes of a schema, about; with a description of so many bytes in place of the
/// type's.
const fn schema(shape: &Shape<'_>, description: usize) -> usize {
    let mut words = description;
    let mut title = 0;
    let mut bounds = 0;
    let mut is_nullable = false;
    let mut layer = shape;
    let kind = loop {
        if words == 0 {
            words = layer.description.len();
        }
        if title == 0 {
            title = layer.title.len();
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
    let words = (words > 0) as usize * (words + text(Keyword::Description));
    let title = (title > 0) as usize * (title + text(Keyword::Title));
    let null = is_nullable as usize
        * match kind {
            Kind::Any | Kind::Null => 0,
            Kind::Union(_) => ",".len() + typed("null"),
            Kind::Recursive(_) => alone(Keyword::AnyOf) + "[,]".len() + typed("null"),
            Kind::Enum(_) => r#"[,"null"],null"#.len(),
            _ => r#"[,"null"]"#.len(),
        };
    self::kind(kind) + words + title + bounds + null
}

/// A keyword's name, behind a comma.
const fn key(keyword: Keyword) -> usize {
    r#","":"#.len() + keyword.as_str().len()
}

/// A keyword that says a text, without the text.
const fn text(keyword: Keyword) -> usize {
    key(keyword) + r#""""#.len()
}

/// A schema of one keyword, without its value.
const fn alone(keyword: Keyword) -> usize {
    r#"{"":}"#.len() + keyword.as_str().len()
}

/// A schema of one type.
const fn typed(name: &str) -> usize {
    alone(Keyword::Type) + r#""""#.len() + name.len()
}

/// An object's keyword that it takes no other keys.
const CLOSED: usize = key(Keyword::AdditionalProperties) + "false".len();

/// An object whose keys are declared, without them.
const OBJECT: usize = typed("object") + key(Keyword::Properties) + "{}".len();

const UNIQUE: usize = key(Keyword::UniqueItems) + "true".len();

const fn kind(kind: &Kind<'_>) -> usize {
    match kind {
        Kind::Any => "{}".len(),
        Kind::Null => typed("null"),
        Kind::Bool => typed("boolean"),
        Kind::Integer(range) => typed("integer") + integer(range),
        Kind::Number(range) => typed("number") + number(range),
        Kind::String(rules) => typed("string") + string(rules),
        Kind::Enum(variants) => {
            typed("string") + key(Keyword::Enum) + "[]".len() + self::variants(variants)
        }
        Kind::Array(array) => {
            typed("array")
                + key(Keyword::Items)
                + schema(array.items, 0)
                + lengths(array.min_len, array.max_len)
                + array.unique as usize * UNIQUE
        }
        Kind::Tuple(items) => {
            let len = key(Keyword::MinItems) + key(Keyword::MaxItems) + "22".len();
            typed("array") + key(Keyword::PrefixItems) + "[]".len() + len + places(items)
        }
        Kind::Object(object) => {
            let (keys, required) = fields(object);
            let list = key(Keyword::Required) + "[]".len();
            OBJECT
                + keys
                + (required > 0) as usize * (list + required)
                + !object.open as usize * CLOSED
        }
        Kind::Map(map) => self::map(map),
        Kind::Union(union) => alone(Keyword::AnyOf) + "[]".len() + members(union),
        Kind::Recursive(back) => alone(Keyword::Ref) + r##""#/$defs/""##.len() + back.id.name.len(),
        Kind::Foreign(_) | Kind::Rule(_) | Kind::Unknown => FOREIGN,
        Kind::Nullable(inner) | Kind::Bounded(inner, _) | Kind::InOut { input: inner, .. } => {
            schema(inner, 0)
        }
    }
}

/// The bytes of an object's keys, and of the list of those that are required.
const fn fields(object: &Object<'_>) -> (usize, usize) {
    let (mut keys, mut required) = (0, 0);
    let mut rest = object.fields;
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_read() {
            continue;
        }
        if !field.flatten {
            keys += self::field(field);
            if field.is_required() {
                required += field.name.len() + r#""","#.len();
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

const fn field(field: &Field<'_>) -> usize {
    let title = field.title.len();
    r#""":,"#.len()
        + field.name.len()
        + schema(field.shape, field.description.len())
        + (title > 0) as usize * (title + text(Keyword::Title))
        + field.deprecated as usize * (key(Keyword::Deprecated) + "true".len())
        + field.default.is_some() as usize * (key(Keyword::Default) + FUNCTION)
        + field.example.is_some() as usize * (key(Keyword::Examples) + "[]".len() + FUNCTION)
}

/// An enum's values, and what they mean, which stands in the description.
const fn variants(variants: &[Variant<'_>]) -> usize {
    let (mut names, mut meanings) = (0, 0);
    let mut rest = variants;
    while let [variant, tail @ ..] = rest {
        names += variant.name.len() + r#""","#.len();
        if !variant.description.is_empty() {
            meanings += variant.name.len() + variant.description.len() + ": ; ".len();
        }
        rest = tail;
    }
    names + (meanings > 0) as usize * (meanings + text(Keyword::Description))
}

const fn places(items: &[&Shape<'_>]) -> usize {
    let mut bytes = 0;
    let mut rest = items;
    while let [item, tail @ ..] = rest {
        bytes += schema(item, 0) + ",".len();
        rest = tail;
    }
    bytes
}

const fn members(union: &Union<'_>) -> usize {
    let mut bytes = 0;
    let mut rest = union.members;
    while let [member, tail @ ..] = rest {
        bytes += schema(member, 0) + ",".len();
        rest = tail;
    }
    bytes
}

const fn map(map: &Map<'_>) -> usize {
    let values = schema(map.values, 0);
    let closed = OBJECT + CLOSED;
    let open = typed("object") + key(Keyword::AdditionalProperties) + values;
    let names = key(Keyword::PropertyNames) + "{}".len();
    let own = match map.keys.core() {
        Kind::Enum(variants) => {
            closed + self::variants(variants) + variants.len() * (values + ":".len())
        }
        Kind::Bool => closed + 2 * (values + r#""false":,"#.len()),
        Kind::Integer(_) => open + names + text(Keyword::Pattern) + SIGNED_KEY.len() - ",".len(),
        Kind::String(rules) if !rules.is_any() => open + names + string(rules),
        _ => open,
    };
    own + lengths(map.min_len, map.max_len)
}

const fn integer(range: &IntegerRange) -> usize {
    let is_told = !range.is_width;
    let is_zero = range.min.is_zero();
    (is_told || is_zero) as usize * (key(Keyword::Minimum) + int(range.min))
        + is_told as usize * (key(Keyword::Maximum) + int(range.max))
        + range.not_zero as usize * (key(Keyword::Not) + alone(Keyword::Enum) + "[0]".len())
        + (range.multiple_of > 0) as usize
            * (key(Keyword::MultipleOf) + digits(range.multiple_of as u128))
}

const fn number(range: &NumberRange<'_>) -> usize {
    edge(range.min) + edge(range.max) + literal(range.multiple_of)
}

const fn edge(edge: Option<Edge<'_>>) -> usize {
    match edge {
        Some(edge) => {
            let keyword = if edge.exclusive {
                Keyword::ExclusiveMinimum
            } else {
                Keyword::Minimum
            };
            key(keyword) + edge.at.text.len()
        }
        None => 0,
    }
}

const fn literal(literal: Option<Literal<'_>>) -> usize {
    match literal {
        Some(literal) => key(Keyword::MultipleOf) + literal.text.len(),
        None => 0,
    }
}

const fn string(rules: &StringRules<'_>) -> usize {
    lengths(rules.min_len, rules.max_len) + pattern(rules.pattern) + format(rules.format)
}

const fn pattern(pattern: Option<Pattern<'_>>) -> usize {
    match pattern {
        Some(pattern) => text(Keyword::Pattern) + pattern.text.len(),
        None => 0,
    }
}

const fn format(format: &str) -> usize {
    !format.is_empty() as usize * (text(Keyword::Format) + format.len())
}

const fn lengths(min: u64, max: Option<u64>) -> usize {
    let least = (min > 0) as usize * (key(Keyword::MinLength) + digits(min as u128));
    match max {
        Some(max) => least + key(Keyword::MaxLength) + digits(max as u128),
        None => least,
    }
}

/// Returns the bytes that a field's or a parameter's bounds add.
const fn bounds(bounds: &Bounds<'_>) -> usize {
    let mut bytes = 0;
    if let Some(min) = bounds.min {
        bytes += key(Keyword::Minimum) + int(min);
    }
    if let Some(max) = bounds.max {
        bytes += key(Keyword::Maximum) + int(max);
    }
    let min_len = match bounds.min_len {
        Some(len) => len,
        None => 0,
    };
    bytes
        + edge(bounds.from)
        + edge(bounds.to)
        + literal(bounds.multiple_of)
        + lengths(min_len, bounds.max_len)
        + pattern(bounds.pattern)
        + format(bounds.format)
        + bounds.unique as usize * UNIQUE
}

const fn int(value: Int) -> usize {
    value.negative as usize + digits(value.magnitude)
}

const fn digits(value: u128) -> usize {
    match value.checked_ilog10() {
        Some(log) => log as usize + 1,
        None => 1,
    }
}
