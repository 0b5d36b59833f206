use serde_json::Value;

use super::draft::Draft;
use toolwright_schema::text::escaped;

/// Role of a keyword in a walk over a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    /// It holds schemas for the same value.
    Here(Holds),
    /// It holds schemas for what is inside the value, or for nobody yet.
    Inside(Holds),
    /// Its text leads to a schema for the same value.
    Reference,
    /// It says something about the value itself, or is a note.
    Plain,
    /// It would not be enforced, although it changes what is admitted; what to write instead.
    Refused(&'static str),
}

/// Form in which a keyword holds schemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    One,
    List,
    OneOrList,
    Named,
}

/// Returns the role of `name` with this value in a draft.
pub(super) fn keyword(name: &str, value: &Value, draft: Draft) -> Keyword {
    use Holds::{List, Named, One, OneOrList};
    use Keyword::{Here, Inside, Plain, Reference, Refused};
    const NEWER: &str = "this draft does not know it; write the schema in draft 2020-12";

    let (is_seven, is_twenty) = (draft == Draft::Seven, draft == Draft::Twenty);
    match name {
        "allOf" | "anyOf" | "oneOf" => Here(List),
        "not" | "if" | "then" | "else" => Here(One),
        "dependentSchemas" if !is_seven => Here(Named),
        // Lists of names among the schemas are passed over.
        "dependencies" => Here(Named),
        "properties" | "patternProperties" | "$defs" | "definitions" => Inside(Named),
        "additionalProperties" | "propertyNames" | "contains" => Inside(One),
        "unevaluatedProperties" | "unevaluatedItems" if !is_seven => Inside(One),
        "items" if is_twenty => Inside(One),
        "items" => Inside(OneOrList),
        "prefixItems" if is_twenty => Inside(List),
        "additionalItems" if is_twenty => Refused("write `items` beside `prefixItems`"),
        "additionalItems" => Inside(One),
        "minContains" | "maxContains" | "dependentRequired" if !is_seven => Plain,
        "prefixItems"
        | "dependentSchemas"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "minContains"
        | "maxContains"
        | "dependentRequired" => Refused(NEWER),

        "$ref" => Reference,
        "$dynamicRef" if is_twenty => Reference,
        "$recursiveRef" if draft == Draft::Nineteen => Reference,
        "$recursiveAnchor" if draft == Draft::Nineteen => Plain,
        "$dynamicRef" | "$dynamicAnchor" if is_seven => Refused("write `$ref`"),
        "$recursiveRef" | "$recursiveAnchor" => Refused("write `$ref`"),
        "$id" | "$schema" | "$anchor" | "$dynamicAnchor" | "$comment" => Plain,
        "$vocabulary" => Refused("the schema of arguments is no meta-schema; leave it out"),
        name if name.starts_with('$') => Refused("no draft knows it; leave it out"),

        "contentSchema" => Refused("describe what the string holds in words"),
        "nullable" if value == &Value::Bool(true) => {
            Refused(r#"write `"type": ["string", "null"]`, with the type that it is"#)
        }
        "divisibleBy" => Refused("write `multipleOf`"),
        "disallow" => Refused("write `not`"),
        "extends" => Refused("write `allOf`"),
        _ => Plain,
    }
}

/// The schemas that a keyword holds, each with the rest of its pointer.
pub(super) fn held(holds: Holds, value: &Value) -> Vec<(String, &Value)> {
    match (holds, value) {
        (Holds::List | Holds::OneOrList, Value::Array(schemas)) => {
            let indexed = schemas.iter().enumerate();
            indexed
                .map(|(at, schema)| (format!("/{at}"), schema))
                .collect()
        }
        (Holds::Named, Value::Object(schemas)) => {
            let named = schemas.iter().filter(|(_, schema)| !schema.is_array());
            named
                .map(|(name, schema)| (format!("/{}", escaped(name)), schema))
                .collect()
        }
        (Holds::One | Holds::OneOrList, schema) => vec![(String::new(), schema)],
        _ => Vec::new(),
    }
}
