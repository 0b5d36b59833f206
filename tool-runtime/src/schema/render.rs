//! From the tree to JSON Schema text (draft 2020-12), and to words for a fault.
//!
//! The writer is our own, so that the bytes depend on the tree alone: not on how `serde_json`
//! orders a map in this build.

use std::fmt::Write;

use super::shape::{Array, Field, IntegerRange, Kind, Shape, StringRules, Variant};

/// Which of serde's sides is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// What is read: a key with a default may be missing.
    Input,
    /// What is written: every key is there.
    Output,
}

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All that holds.
    Full,
    /// Without bounds that only repeat how wide a Rust number is.
    Provider,
}

/// The JSON Schema of a shape.
pub(crate) fn render(shape: &Shape, side: Side, detail: Detail) -> String {
    let mut writer = Writer {
        out: String::with_capacity(256),
        side,
        detail,
    };
    writer.schema(shape, "", None);
    writer.out
}

/// Appends `text` as a JSON string.
pub(crate) fn write_json_string(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if u32::from(control) < 0x20 => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

struct Writer {
    out: String,
    side: Side,
    detail: Detail,
}

impl Writer {
    /// One schema. `words` are those of the field that holds it, and win over the type's own.
    fn schema(&mut self, shape: &Shape, words: &str, field: Option<&Field>) {
        let (inner, nullable) = match shape.kind {
            Kind::Nullable(inner) => (inner, true),
            _ => (shape, false),
        };
        let own = [words, shape.description, inner.description];
        let words = own.into_iter().find(|text| !text.is_empty()).unwrap_or("");

        self.out.push('{');
        self.kind(inner, nullable);
        self.description(words, &inner.kind);
        if let Some(field) = field {
            self.annotation("default", field.default);
            self.annotation("examples", field.example);
        }
        if let Kind::Object(fields) = inner.kind {
            self.object(fields);
        }
        self.out.push('}');
    }

    fn key(&mut self, key: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        write_json_string(&mut self.out, key);
        self.out.push(':');
    }

    fn entry(&mut self, key: &str, value: impl std::fmt::Display) {
        self.key(key);
        self.out.push_str(&value.to_string());
    }

    fn type_name(&mut self, name: &str, nullable: bool) {
        self.key("type");
        if nullable {
            self.out.push('[');
        }
        write_json_string(&mut self.out, name);
        if nullable {
            self.out.push_str(",\"null\"]");
        }
    }

    fn kind(&mut self, shape: &Shape, nullable: bool) {
        match &shape.kind {
            Kind::Any | Kind::Unknown => {}
            Kind::Null => self.type_name("null", false),
            Kind::Bool => self.type_name("boolean", nullable),
            Kind::Integer(range) => {
                self.type_name("integer", nullable);
                self.integer(range);
            }
            Kind::Number { max } => {
                self.type_name("number", nullable);
                // Every JSON number that a parser can hold is an `f64`, so only `f32` says more.
                if self.detail == Detail::Full && *max < f64::MAX {
                    self.entry("minimum", format_args!("{:e}", -max));
                    self.entry("maximum", format_args!("{max:e}"));
                }
            }
            Kind::String(rules) => {
                self.type_name("string", nullable);
                self.string(rules);
            }
            Kind::Enum(variants) => {
                self.type_name("string", nullable);
                self.key("enum");
                self.out.push('[');
                for (index, variant) in variants.iter().enumerate() {
                    self.comma(index);
                    write_json_string(&mut self.out, variant.name);
                }
                if nullable {
                    self.out.push_str(",null");
                }
                self.out.push(']');
            }
            Kind::Array(array) => {
                self.type_name("array", nullable);
                self.array(array);
            }
            Kind::Tuple(items) => {
                self.type_name("array", nullable);
                self.key("prefixItems");
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.comma(index);
                    self.schema(item, "", None);
                }
                self.out.push(']');
                self.entry("minItems", items.len());
                self.entry("maxItems", items.len());
            }
            // Its properties stand behind the description, which a reader wants first.
            Kind::Object(_) => self.type_name("object", nullable),
            Kind::Map { keys, values } => {
                self.type_name("object", nullable);
                self.map(keys, values);
            }
            Kind::Nullable(inner) => self.kind(inner, true),
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
    }

    fn integer(&mut self, range: &IntegerRange) {
        let told = self.detail == Detail::Full || !range.is_width;
        if told || range.min == 0 {
            self.entry("minimum", range.min);
        }
        if told {
            self.entry("maximum", range.max);
        }
    }

    fn string(&mut self, rules: &StringRules) {
        if rules.min_len > 0 {
            self.entry("minLength", rules.min_len);
        }
        if let Some(max) = rules.max_len {
            self.entry("maxLength", max);
        }
    }

    fn array(&mut self, array: &Array) {
        self.key("items");
        self.schema(array.items, "", None);
        if array.min_len > 0 {
            self.entry("minItems", array.min_len);
        }
        if let Some(max) = array.max_len {
            self.entry("maxItems", max);
        }
        if array.unique {
            self.entry("uniqueItems", true);
        }
    }

    fn map(&mut self, keys: &Shape, values: &Shape) {
        match keys.kind {
            Kind::Integer(range) => {
                self.key("propertyNames");
                let sign = if range.min < 0 { "-?" } else { "" };
                self.out.push_str("{\"pattern\":");
                // As `json::key` reads them: one spelling a number.
                write_json_string(&mut self.out, &format!("^({sign}[1-9][0-9]*|0)$"));
                self.out.push('}');
            }
            Kind::Enum(variants) => {
                self.key("propertyNames");
                self.out.push_str("{\"enum\":[");
                for (index, variant) in variants.iter().enumerate() {
                    self.comma(index);
                    write_json_string(&mut self.out, variant.name);
                }
                self.out.push_str("]}");
            }
            Kind::Bool => {
                self.key("propertyNames");
                self.out.push_str("{\"enum\":[\"true\",\"false\"]}");
            }
            _ => {}
        }
        self.key("additionalProperties");
        self.schema(values, "", None);
    }

    fn object(&mut self, fields: &[Field]) {
        self.key("properties");
        self.out.push('{');
        for field in fields {
            self.key(field.name);
            self.schema(field.shape, field.description, Some(field));
        }
        self.out.push('}');
        let side = self.side;
        let mut required = fields
            .iter()
            .filter(|field| side == Side::Output || field.presence.is_required())
            .peekable();
        if required.peek().is_some() {
            self.key("required");
            self.out.push('[');
            for (index, field) in required.enumerate() {
                self.comma(index);
                write_json_string(&mut self.out, field.name);
            }
            self.out.push(']');
        }
        self.entry("additionalProperties", false);
    }

    /// The description; what the strings of an enum mean is folded into it, since a schema that
    /// says it beside each string (`oneOf` of `const`s) is refused by some providers.
    fn description(&mut self, words: &str, kind: &Kind) {
        let variants = match kind {
            Kind::Enum(variants) => documented(variants),
            _ => String::new(),
        };
        if words.is_empty() && variants.is_empty() {
            return;
        }
        self.key("description");
        let gap = if words.is_empty() || variants.is_empty() {
            ""
        } else {
            "\n"
        };
        write_json_string(&mut self.out, &format!("{words}{gap}{variants}"));
    }

    fn annotation(&mut self, key: &str, json: Option<fn() -> Option<String>>) {
        let Some(json) = json.and_then(|json| json()) else {
            return;
        };
        self.key(key);
        if key == "examples" {
            self.out.push('[');
            self.out.push_str(&json);
            self.out.push(']');
        } else {
            self.out.push_str(&json);
        }
    }
}

fn documented(variants: &[Variant]) -> String {
    let lines = variants
        .iter()
        .filter(|variant| !variant.description.is_empty())
        .map(|variant| {
            let words: Vec<_> = variant.description.split_whitespace().collect();
            format!("- `{}`: {}", variant.name, words.join(" "))
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// What type was expected, in words for a model: `an integer from 1 to 99`. A range that is only
/// the width of a type goes without saying.
pub(crate) fn describe(shape: &Shape) -> String {
    match &shape.kind {
        Kind::Integer(IntegerRange {
            is_width: true,
            min: i128::MIN..0,
            ..
        }) => "an integer".into(),
        Kind::Integer(IntegerRange { is_width: true, .. }) => "an integer of 0 or more".into(),
        Kind::Number { .. } => "a number".into(),
        Kind::Nullable(inner) => format!("{} or null", describe(inner)),
        _ => describe_range(shape),
    }
}

/// What values were expected, in words for a model, with the range that the type holds.
pub(crate) fn describe_range(shape: &Shape) -> String {
    match &shape.kind {
        Kind::Any | Kind::Unknown => "a JSON value".into(),
        Kind::Null => "null".into(),
        Kind::Bool => "true or false".into(),
        Kind::Integer(IntegerRange { min, max, .. }) => {
            format!("an integer from {min} to {max}")
        }
        Kind::Number { max } if *max < f64::MAX => format!("a number from {:e} to {max:e}", -max),
        Kind::Number { .. } => "a number".into(),
        Kind::String(StringRules {
            min_len: 1,
            max_len: Some(1),
            ..
        }) => "a string of one character".into(),
        Kind::String(_) => "a string".into(),
        Kind::Enum(variants) => {
            let names = variants.iter().map(|variant| format!("{:?}", variant.name));
            one_of(names)
        }
        Kind::Array(array) => match (array.min_len, array.max_len) {
            (min, Some(max)) if min == max => format!("an array of {min} elements"),
            _ => "an array".into(),
        },
        Kind::Tuple(items) => format!("an array of {} elements", items.len()),
        Kind::Object(_) | Kind::Map { .. } => "an object".into(),
        Kind::Nullable(inner) => format!("{} or null", describe_range(inner)),
    }
}

/// `one of "a", "b"`, or the one value.
pub(crate) fn one_of(names: impl ExactSizeIterator<Item = String>) -> String {
    let prefix = if names.len() == 1 { "" } else { "one of " };
    format!("{prefix}{}", names.collect::<Vec<_>>().join(", "))
}
