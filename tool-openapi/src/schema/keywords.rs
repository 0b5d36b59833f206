//! The keywords of a schema that a request keeps, as a table.

use toolwright::json::Value;

/// How the value of a keyword is read.
pub(super) enum Keyword {
    /// It says nothing about requests.
    Skip,
    /// It cannot be said here, so any value is admitted.
    Any,
    Type,
    Enum,
    Required,
    /// A value that is copied if it has this form, which the text names.
    Plain(fn(&Value<'_>) -> bool, &'static str),
    /// A number, or a boolean of `OpenAPI` 3.0 about the limit beside it.
    Limit,
    Schema,
    List,
    Map,
}

fn is_text(value: &Value<'_>) -> bool {
    matches!(value, Value::String(_))
}

fn is_number(value: &Value<'_>) -> bool {
    matches!(value, Value::Number(_))
}

fn is_bool(value: &Value<'_>) -> bool {
    matches!(value, Value::Bool(_))
}

fn is_count(value: &Value<'_>) -> bool {
    value.as_u128().is_some()
}

fn is_positive(value: &Value<'_>) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}

fn is_any(_: &Value<'_>) -> bool {
    true
}

/// Returns how a keyword is read.
pub(super) fn keyword(key: &str) -> Keyword {
    match key {
        "type" => Keyword::Type,
        "enum" => Keyword::Enum,
        "required" => Keyword::Required,
        "title" | "description" | "format" | "pattern" | "contentEncoding" | "contentMediaType" => {
            Keyword::Plain(is_text, "a string")
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => Keyword::Plain(is_count, "a count"),
        "multipleOf" => Keyword::Plain(is_positive, "a number above 0"),
        "uniqueItems" | "deprecated" => Keyword::Plain(is_bool, "true or false"),
        "default" | "const" => Keyword::Plain(is_any, "a value"),
        "minimum" | "maximum" => Keyword::Plain(is_number, "a number"),
        "exclusiveMinimum" | "exclusiveMaximum" => Keyword::Limit,
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Keyword::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Keyword::List,
        "properties" | "patternProperties" | "dependentSchemas" => Keyword::Map,
        "$dynamicRef" | "$recursiveRef" => Keyword::Any,
        _ => Keyword::Skip,
    }
}
