//! Whether a schema admits a value, by `jsonschema`, but for numbers: those it reads as `f64`, so
//! they are handed to it as strings of a form of their own, and judged by their decimal value.

use jsonschema::{Keyword, ValidationError, Validator};
use serde_json::{Map, Value, json};

use crate::schemas::exact::{Exact, Number};

/// What a number begins with where it stands as a string; no sample has this character.
const MARK: char = '\u{e000}';

pub(crate) struct Judge(Validator);

impl Judge {
    pub(crate) fn of(schema: &str) -> Self {
        let schema = exact_schema(&Exact::read(schema).expect(schema));
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .with_keyword("x-number", |_, bounds, _| {
                Ok(Box::new(Bounds::of(bounds.as_object().expect("bounds"))))
            })
            .build(&schema);
        Self(validator.expect("a schema"))
    }

    pub(crate) fn admits(&self, value: &Exact) -> bool {
        self.0.is_valid(&instance(value))
    }
}

/// The value with strings for its numbers. Equal numbers are equal strings.
fn instance(value: &Exact) -> Value {
    match value {
        Exact::Null => Value::Null,
        Exact::Bool(value) => Value::Bool(*value),
        Exact::Number(number) => Value::String(marked(number)),
        Exact::String(text) => Value::String(text.clone()),
        Exact::Array(items) => Value::Array(items.iter().map(instance).collect()),
        Exact::Object(entries) => {
            let entries = entries.iter();
            Value::Object(
                entries
                    .map(|(key, item)| (key.clone(), instance(item)))
                    .collect(),
            )
        }
    }
}

fn marked(number: &Number) -> String {
    let sign = if number.negative { "-" } else { "" };
    format!("{MARK}{sign}{}e{}", number.digits, number.exponent)
}

fn unmarked(text: &str) -> Option<Number> {
    let text = text.strip_prefix(MARK)?;
    Some(if text == "e0" {
        Number::read("0")
    } else {
        Number::read(text)
    })
}

/// The schema of such values.
fn exact_schema(schema: &Exact) -> Value {
    let Exact::Object(entries) = schema else {
        return instance(schema);
    };
    let (mut out, mut strings, mut numbers) = (Map::new(), Map::new(), Map::new());
    let mut types = None;
    for (keyword, value) in entries {
        let keyword = keyword.as_str();
        match (keyword, value) {
            ("type", Exact::Array(names)) => types = Some(names.iter().map(of_type).collect()),
            ("type", name) => types = Some(vec![of_type(name)]),
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf", _) => {
                numbers.insert(keyword.to_owned(), instance(value));
            }
            ("minLength" | "maxLength" | "pattern" | "format", _) => {
                strings.insert(keyword.to_owned(), plain(value));
            }
            ("properties" | "$defs", Exact::Object(named)) => {
                let named = named.iter();
                let named = named.map(|(name, schema)| (name.clone(), exact_schema(schema)));
                out.insert(keyword.to_owned(), Value::Object(named.collect()));
            }
            ("items" | "additionalProperties" | "propertyNames" | "not", schema) => {
                out.insert(keyword.to_owned(), exact_schema(schema));
            }
            ("prefixItems" | "anyOf", Exact::Array(schemas)) => {
                let schemas = schemas.iter().map(exact_schema);
                out.insert(keyword.to_owned(), Value::Array(schemas.collect()));
            }
            ("enum" | "const", _) => {
                out.insert(keyword.to_owned(), instance(value));
            }
            (
                "required" | "uniqueItems" | "$ref" | "minItems" | "maxItems" | "minProperties"
                | "maxProperties",
                _,
            ) => {
                out.insert(keyword.to_owned(), plain(value));
            }
            ("title" | "description" | "default" | "examples" | "deprecated", _) => {}
            _ => panic!("a keyword that no schema of ours has: {keyword}"),
        }
    }
    let mut all = Vec::new();
    if let Some(types) = types {
        all.push(json!({"anyOf": Value::Array(types)}));
    }
    if !strings.is_empty() {
        all.push(json!({"anyOf": [{"type": "string", "pattern": format!("^{MARK}")}, strings]}));
    }
    if !numbers.is_empty() {
        out.insert("x-number".to_owned(), Value::Object(numbers));
    }
    if !all.is_empty() {
        out.insert("allOf".to_owned(), Value::Array(all));
    }
    Value::Object(out)
}

fn of_type(name: &Exact) -> Value {
    let Exact::String(name) = name else {
        panic!("a type is a string");
    };
    match name.as_str() {
        "number" => json!({"type": "string", "pattern": format!("^{MARK}")}),
        "integer" => json!({"type": "string", "pattern": format!("^{MARK}-?[0-9]*e[0-9]+$")}),
        "string" => json!({"type": "string", "not": {"pattern": format!("^{MARK}")}}),
        other => json!({"type": other}),
    }
}

/// What says how many, or names something.
fn plain(value: &Exact) -> Value {
    match value {
        Exact::Number(number) => {
            let count = number.to_integer().expect("a count");
            Value::from(u64::try_from(count).expect("a count"))
        }
        Exact::Array(items) => Value::Array(items.iter().map(plain).collect()),
        other => instance(other),
    }
}

struct Bounds {
    minimum: Option<Number>,
    maximum: Option<Number>,
    above: Option<Number>,
    below: Option<Number>,
    unit: Option<Number>,
}

impl Bounds {
    fn of(bounds: &Map<String, Value>) -> Self {
        let number = |keyword: &str| unmarked(bounds.get(keyword)?.as_str()?);
        Self {
            minimum: number("minimum"),
            maximum: number("maximum"),
            above: number("exclusiveMinimum"),
            below: number("exclusiveMaximum"),
            unit: number("multipleOf"),
        }
    }
}

impl<'i> Keyword<'i> for Bounds {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("out of bounds"))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let Some(number) = instance.as_str().and_then(unmarked) else {
            return true;
        };
        self.minimum.as_ref().is_none_or(|bound| number >= *bound)
            && self.maximum.as_ref().is_none_or(|bound| number <= *bound)
            && self.above.as_ref().is_none_or(|bound| number > *bound)
            && self.below.as_ref().is_none_or(|bound| number < *bound)
            && self
                .unit
                .as_ref()
                .is_none_or(|unit| number.is_multiple(unit))
    }
}

#[test]
fn numbers_are_judged_exactly() {
    let table = [
        (
            r#"{"type":"integer","maximum":340282366920938463463374607431768211455}"#,
            "340282366920938463463374607431768211455.0",
            true,
        ),
        (
            r#"{"type":"integer","maximum":340282366920938463463374607431768211455}"#,
            "340282366920938463463374607431768211456",
            false,
        ),
        (r#"{"type":"integer"}"#, "1e400", true),
        (r#"{"type":"integer"}"#, "9007199254740993.1", false),
        (
            r#"{"type":["number","null"],"exclusiveMaximum":1.0}"#,
            "0.99999999999999999999999999",
            true,
        ),
        (
            r#"{"type":["number","null"],"exclusiveMaximum":1.0}"#,
            "10e-1",
            false,
        ),
        (
            r#"{"type":["number","null"],"exclusiveMaximum":1.0}"#,
            "null",
            true,
        ),
        (
            r#"{"type":["number","null"],"exclusiveMaximum":1.0}"#,
            "\"0\"",
            false,
        ),
        (r#"{"multipleOf":0.1}"#, "0.3", true),
        (r#"{"multipleOf":0.1}"#, "0.35", false),
        (r#"{"not":{"enum":[0]}}"#, "-0.0e5", false),
        (r#"{"uniqueItems":true}"#, "[1,10e-1]", false),
        (
            r#"{"uniqueItems":true}"#,
            "[9007199254740992,9007199254740993]",
            true,
        ),
        (r#"{"minLength":2}"#, "1", true),
        (r#"{"minLength":2}"#, "\"1\"", false),
    ];
    for (schema, value, admitted) in table {
        let value_read = Exact::read(value).unwrap();
        assert_eq!(
            Judge::of(schema).admits(&value_read),
            admitted,
            "{schema} {value}"
        );
    }
}
