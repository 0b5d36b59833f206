//! How many tokens a definition costs, as far as its tree says it: known when it compiles.
//!
//! Tokens are counted as a quarter of the bytes of the text, which providers' tokenizers come near
//! to for English words and JSON's signs. The bytes are those of the compact canonical form, from the
//! lengths of names and descriptions, which a tree holds, without a look at their characters: what
//! JSON escapes is counted as it stands, and defaults and examples, which are known when the program
//! runs, as `FUNCTION` each. A dialect's own form is longer or shorter; `tests/it/schemas/estimate.rs`
//! says by how much.

use crate::schema::shape::{
    Bounds, Edge, Field, Int, IntegerRange, Kind, Literal, Map, NumberRange, Object, Pattern,
    Presence, Shape, StringRules, Union, Variant,
};

/// A token's bytes.
pub(crate) const BYTES: usize = 4;

/// What stands around a definition's name, description and schema; between what Gemini and what
/// `OpenAI`'s chat write.
const DEFINITION: usize = r#"{"name":"","description":"","input_schema":,"strict":true},"#.len();

/// What nobody knows before the program runs: the JSON of a default or an example.
const FUNCTION: usize = 6;

/// The schema of a type that tells it only when the program runs.
const FOREIGN: usize = 120;

/// The bytes of a tool's definition, about.
pub(crate) const fn definition(name: &str, description: &str, input: &Shape<'_>) -> usize {
    around(name, description) + schema(input, 0)
}

/// The same without the schema.
pub(crate) const fn around(name: &str, description: &str) -> usize {
    DEFINITION + name.len() + description.len()
}

/// The bytes of a schema, about; with a description of so many bytes in place of the type's.
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
        layer = match &layer.kind {
            Kind::Nullable(inner) => {
                is_nullable = true;
                inner
            }
            Kind::Narrow(inner, more) => {
                bounds += self::bounds(more);
                inner
            }
            Kind::Sides { input, .. } => input,
            Kind::Union(Union { members: [one], .. }) => one,
            kind => break kind,
        };
    };
    let words = (words > 0) as usize * (words + r#","description":"""#.len());
    let title = (title > 0) as usize * (title + r#","title":"""#.len());
    let null = is_nullable as usize
        * match kind {
            Kind::Any | Kind::Null => 0,
            Kind::Union(_) => r#",{"type":"null"}"#.len(),
            Kind::Back(_) => r#"{"anyOf":[,{"type":"null"}]}"#.len(),
            Kind::Enum(_) => r#"[,"null"],null"#.len(),
            _ => r#"[,"null"]"#.len(),
        };
    self::kind(kind) + words + title + bounds + null
}

const fn kind(kind: &Kind<'_>) -> usize {
    match kind {
        Kind::Any => "{}".len(),
        Kind::Null => r#"{"type":"null"}"#.len(),
        Kind::Bool => r#"{"type":"boolean"}"#.len(),
        Kind::Integer(range) => r#"{"type":"integer"}"#.len() + integer(range),
        Kind::Number(range) => r#"{"type":"number"}"#.len() + number(range),
        Kind::String(rules) => r#"{"type":"string"}"#.len() + string(rules),
        Kind::Enum(variants) => r#"{"type":"string","enum":[]}"#.len() + self::variants(variants),
        Kind::Array(array) => {
            r#"{"type":"array","items":}"#.len()
                + schema(array.items, 0)
                + lengths(array.min_len, array.max_len)
                + array.unique as usize * r#","uniqueItems":true"#.len()
        }
        Kind::Tuple(items) => {
            r#"{"type":"array","prefixItems":[],"minItems":2,"maxItems":2}"#.len() + places(items)
        }
        Kind::Object(object) => {
            let closed = r#","additionalProperties":false"#.len();
            let (keys, required) = fields(object);
            r#"{"type":"object","properties":{}}"#.len()
                + keys
                + (required > 0) as usize * (r#","required":[]"#.len() + required)
                + !object.open as usize * closed
        }
        Kind::Map(map) => self::map(map),
        Kind::Union(union) => r#"{"anyOf":[]}"#.len() + members(union),
        Kind::Back(back) => r##"{"$ref":"#/$defs/"}"##.len() + back.id.name.len(),
        Kind::Foreign(_) | Kind::Rule(_) | Kind::Unknown => FOREIGN,
        Kind::Nullable(inner) | Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => {
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
        if matches!(field.presence, Presence::Never) {
            continue;
        }
        if !field.flatten {
            keys += self::field(field);
            if matches!(field.presence, Presence::Required) {
                required += field.name.len() + r#""","#.len();
            }
            continue;
        }
        match flat(field.shape) {
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

/// The kind below the layers.
const fn flat<'a, 's>(mut shape: &'a Shape<'s>) -> &'a Kind<'s> {
    loop {
        shape = match &shape.kind {
            Kind::Nullable(inner) | Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => {
                inner
            }
            kind => return kind,
        };
    }
}

const fn field(field: &Field<'_>) -> usize {
    let title = field.title.len();
    r#""":,"#.len()
        + field.name.len()
        + schema(field.shape, field.description.len())
        + (title > 0) as usize * (title + r#","title":"""#.len())
        + field.deprecated as usize * r#","deprecated":true"#.len()
        + field.default.is_some() as usize * (r#","default":"#.len() + FUNCTION)
        + field.example.is_some() as usize * (r#","examples":[]"#.len() + FUNCTION)
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
    names + (meanings > 0) as usize * (meanings + r#","description":"""#.len())
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
    let closed = r#"{"type":"object","properties":{},"additionalProperties":false}"#.len();
    let open = r#"{"type":"object","additionalProperties":}"#.len() + values;
    let names = r#","propertyNames":{}"#.len();
    let own = match flat(map.keys) {
        Kind::Enum(variants) => {
            closed + self::variants(variants) + variants.len() * (values + ":".len())
        }
        Kind::Bool => closed + 2 * (values + r#""false":,"#.len()),
        Kind::Integer(_) => open + names + r#""pattern":"^(-?[1-9][0-9]*|0)$""#.len(),
        Kind::String(rules) if !rules.is_any() => open + names + string(rules),
        _ => open,
    };
    own + lengths(map.min_len, map.max_len)
}

const fn integer(range: &IntegerRange) -> usize {
    let is_told = !range.is_width;
    let is_zero = range.min.is_zero();
    (is_told || is_zero) as usize * (r#","minimum":"#.len() + int(range.min))
        + is_told as usize * (r#","maximum":"#.len() + int(range.max))
        + range.not_zero as usize * r#","not":{"enum":[0]}"#.len()
        + (range.multiple_of > 0) as usize
            * (r#","multipleOf":"#.len() + digits(range.multiple_of as u128))
}

const fn number(range: &NumberRange<'_>) -> usize {
    edge(range.min) + edge(range.max) + literal(range.multiple_of)
}

const fn edge(edge: Option<Edge<'_>>) -> usize {
    match edge {
        Some(edge) => {
            let key = if edge.exclusive {
                r#","exclusiveMinimum":"#
            } else {
                r#","minimum":"#
            };
            key.len() + edge.at.text.len()
        }
        None => 0,
    }
}

const fn literal(literal: Option<Literal<'_>>) -> usize {
    match literal {
        Some(literal) => r#","multipleOf":"#.len() + literal.text.len(),
        None => 0,
    }
}

const fn string(rules: &StringRules<'_>) -> usize {
    lengths(rules.min_len, rules.max_len) + pattern(rules.pattern) + format(rules.format)
}

const fn pattern(pattern: Option<Pattern<'_>>) -> usize {
    match pattern {
        Some(pattern) => r#","pattern":"""#.len() + pattern.text.len(),
        None => 0,
    }
}

const fn format(format: &str) -> usize {
    !format.is_empty() as usize * (r#","format":"""#.len() + format.len())
}

const fn lengths(min: u64, max: Option<u64>) -> usize {
    let least = (min > 0) as usize * (r#","minLength":"#.len() + digits(min as u128));
    match max {
        Some(max) => least + r#","maxLength":"#.len() + digits(max as u128),
        None => least,
    }
}

/// What a field's or a parameter's bounds add.
const fn bounds(bounds: &Bounds<'_>) -> usize {
    let mut bytes = 0;
    if let Some(min) = bounds.min {
        bytes += r#","minimum":"#.len() + int(min);
    }
    if let Some(max) = bounds.max {
        bytes += r#","maximum":"#.len() + int(max);
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
        + bounds.unique as usize * r#","uniqueItems":true"#.len()
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
