//! The keywords of a schema that a request keeps, as a table, and those that change their meaning.

use std::collections::{HashMap, HashSet};

use toolwright::json::Value;

use super::{Path, Schemas, is_true, merged};
use crate::document::At;

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

/// Returns true for a keyword that the schema of an answer has. Nothing is held against it, so that it needs no bounds, and
/// clients compile patterns in dialects of their own.
pub(super) fn describes(key: &str) -> bool {
    matches!(
        key,
        "type"
            | "enum"
            | "const"
            | "title"
            | "description"
            | "format"
            | "deprecated"
            | "properties"
            | "required"
            | "additionalProperties"
            | "items"
            | "prefixItems"
            | "allOf"
            | "anyOf"
            | "oneOf"
    )
}

impl<'a, 't: 'a> Schemas<'a, 't> {
    /// Removes names from `required` that this side does not have by another part of the same object.
    pub(super) fn unrequire(
        &self,
        schema: &'a Value<'t>,
        at: &Path<'_>,
        converted: &mut Value<'a>,
    ) {
        let at = At {
            value: schema,
            document: at.document(),
            pointer: String::new(),
        };
        let Some(object) = merged(self.documents, &at, self.side) else {
            return;
        };
        let strip = |value: &mut Value<'a>| {
            let Value::Object(entries) = value else {
                return;
            };
            for (key, value) in entries.iter_mut() {
                if let ("required", Value::Array(names)) = (&**key, value) {
                    names.retain(|name| {
                        name.as_str()
                            .is_none_or(|name| !object.absent.contains(name))
                    });
                }
            }
        };
        strip(converted);
        let Value::Object(entries) = converted else {
            return;
        };
        for (key, value) in entries {
            if let ("allOf", Value::Array(parts)) = (&**key, value) {
                parts.iter_mut().for_each(strip);
            }
        }
    }

    pub(super) fn required(
        &mut self,
        schema: &'a Value<'t>,
        value: &'a Value<'t>,
        at: &Path<'_>,
    ) -> Option<Value<'a>> {
        if !matches!(value, Value::Array(_)) {
            // `required: true` of a property is a common mistake, which says nothing here.
            if !matches!(value, Value::Bool(_)) {
                self.note(&Path::Step(at, "required"), "this is not an array of names");
            }
            return None;
        }
        let properties = schema.get("properties").map_or(&[][..], Value::entries);
        let properties: HashMap<&str, _> = properties
            .iter()
            .rev()
            .map(|(name, schema)| (&**name, schema))
            .collect();
        let mut names = HashSet::new();
        let mut out = Vec::new();
        for item in value.items() {
            let Some(name) = item.as_str() else {
                self.note(
                    &Path::Step(at, "required"),
                    "one of its names is not a string",
                );
                continue;
            };
            let property = properties.get(name).copied();
            let is_sent = !self.hides(name, at)
                && property.is_none_or(|schema| !self.is_absent(schema, at.document()));
            if is_sent && names.insert(name) {
                out.push(Value::string(name));
            }
        }
        (!out.is_empty()).then_some(Value::Array(out))
    }

    pub(super) fn types(
        &mut self,
        schema: &'a Value<'t>,
        value: &'a Value<'t>,
        at: &Path<'_>,
    ) -> Option<Value<'a>> {
        let named = |name: &str| match name {
            "file" => Some("string"),
            "array" | "boolean" | "integer" | "null" | "number" | "object" | "string" => None,
            "int" | "int32" | "int64" | "long" => Some("integer"),
            "float" | "double" | "decimal" => Some("number"),
            "bool" => Some("boolean"),
            _ => Some(""),
        };
        let mut types = Vec::new();
        let all = match value {
            Value::String(_) => std::slice::from_ref(value),
            Value::Array(items) => items,
            _ => &[],
        };
        for name in all {
            let Some(name) = name.as_str() else { continue };
            let name = named(name).map_or_else(|| name.to_owned(), str::to_owned);
            let name = Value::string(name);
            if name.as_str() != Some("") && !types.contains(&name) {
                types.push(name);
            }
        }
        if types.is_empty() {
            self.note(&Path::Step(at, "type"), "this is not a type of JSON Schema");
            return None;
        }
        let null = Value::from("null");
        if self.documents.is_30 && is_true(schema, "nullable") && !types.contains(&null) {
            types.push(null);
        }
        match types.len() {
            1 => types.pop(),
            _ => Some(Value::Array(types)),
        }
    }

    pub(super) fn values(
        &mut self,
        schema: &'a Value<'t>,
        value: &'a Value<'t>,
        at: &Path<'_>,
    ) -> Option<Value<'a>> {
        let mut seen = HashSet::new();
        let items = value.items().iter();
        let mut values: Vec<Value<'a>> = items
            .filter(|item| seen.insert(item.to_json()))
            .cloned()
            .collect();
        if values.is_empty() {
            self.note(&Path::Step(at, "enum"), "this is not an array of values");
            return None;
        }
        if self.documents.is_30 && is_true(schema, "nullable") && !values.iter().any(Value::is_null)
        {
            values.push(Value::Null);
        }
        Some(Value::Array(values))
    }
}
