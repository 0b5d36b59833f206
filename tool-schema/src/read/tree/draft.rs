//! The drafts of JSON Schema, and the keywords of each.

use std::borrow::Cow;

use toolwright_json::Value;

use crate::keyword::{Keyword, Subschemas, TYPES};

/// The drafts of JSON Schema that tools are described in. Older ones than draft 7 are read as draft 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Draft {
    Seven,
    Nineteen,
    Twenty,
}

impl Draft {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Seven => "draft 7",
            Self::Nineteen => "draft 2019-09",
            Self::Twenty => "draft 2020-12",
        }
    }
}

/// Returns true if a draft has a keyword. A keyword that draft 7 lacks is a later one.
pub(super) fn is_of(keyword: Keyword, draft: Draft, has_places: bool) -> bool {
    use Keyword::{
        AdditionalItems, DependentRequired, DependentSchemas, DynamicAnchor, DynamicRef,
        MaxContains, MinContains, PrefixItems, RecursiveAnchor, RecursiveRef, UnevaluatedItems,
        UnevaluatedProperties,
    };
    match keyword {
        DependentSchemas
        | DependentRequired
        | UnevaluatedProperties
        | UnevaluatedItems
        | MinContains
        | MaxContains => draft > Draft::Seven,
        PrefixItems | DynamicRef | DynamicAnchor => draft == Draft::Twenty,
        RecursiveRef | RecursiveAnchor => draft == Draft::Nineteen,
        AdditionalItems => draft < Draft::Twenty || has_places,
        _ => true,
    }
}

/// Returns true if a keyword may have a value.
pub(in super::super) fn is_well_formed(keyword: Keyword, value: &Value<'_>) -> bool {
    use Keyword::{
        Anchor, ContentEncoding, ContentMediaType, DependentRequired, DynamicAnchor, DynamicRef,
        Enum, ExclusiveMaximum, ExclusiveMinimum, Format, Id, MaxContains, MaxItems, MaxLength,
        MaxProperties, Maximum, MinContains, MinItems, MinLength, MinProperties, Minimum,
        MultipleOf, Nullable, Pattern, RecursiveRef, Ref, Required, Type, UniqueItems,
    };
    let is_type = |value: &Value<'_>| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let is_name = |value: &Value<'_>| value.as_str().is_some();
    let is_schema = |value: &Value<'_>| matches!(value, Value::Object(_) | Value::Bool(_));
    let is_list = |value: &Value<'_>, of: &dyn Fn(&Value<'_>) -> bool| match value {
        Value::Array(items) => items.iter().all(of),
        _ => false,
    };
    match keyword {
        Type => is_type(value) || is_list(value, &is_type) && !value.items().is_empty(),
        Enum => is_list(value, &|_| true),
        Required => is_list(value, &is_name),
        DependentRequired => match value {
            Value::Object(entries) => entries.iter().all(|(_, value)| is_list(value, &is_name)),
            _ => false,
        },
        Minimum | Maximum | ExclusiveMinimum | ExclusiveMaximum => {
            value.as_f64().is_some_and(f64::is_finite)
        }
        MultipleOf => value.as_f64().is_some_and(|of| of.is_finite() && of > 0.0),
        MinLength | MaxLength | MinItems | MaxItems | MinProperties | MaxProperties
        | MinContains | MaxContains => value.as_u128().is_some(),
        UniqueItems | Nullable => matches!(value, Value::Bool(_)),
        Ref | DynamicRef | RecursiveRef | Pattern | Format | Id | Anchor | DynamicAnchor
        | ContentEncoding | ContentMediaType => is_name(value),
        _ => match (keyword.subschemas(), value) {
            (Subschemas::None, _)
            | (Subschemas::List | Subschemas::SchemaOrList, Value::Array(_)) => true,
            (Subschemas::Map | Subschemas::MapOrNames | Subschemas::Definitions, value) => {
                matches!(value, Value::Object(_))
            }
            (Subschemas::Schema | Subschemas::SchemaOrList, value) => is_schema(value),
            (Subschemas::List, _) => false,
        },
    }
}

/// Reads `exclusiveMinimum: true` and `exclusiveMaximum: true` as draft 4 and `OpenAPI` 3.0 mean them. Returns the keywords that
/// were read so, each behind the bound that it is about.
pub(in super::super) fn read_exclusive_flags(
    entries: &mut Vec<(Cow<'_, str>, Value<'_>)>,
) -> Vec<(Keyword, Keyword)> {
    let bounds = [
        (Keyword::Minimum, Keyword::ExclusiveMinimum),
        (Keyword::Maximum, Keyword::ExclusiveMaximum),
    ];
    let mut read = Vec::new();
    for (bound, exclusive) in bounds {
        let flag = entries.iter().position(|(name, value)| {
            name == exclusive.as_str() && matches!(value, Value::Bool(_))
        });
        let Some(flag) = flag.map(|at| entries.remove(at).1) else {
            continue;
        };
        let bounded = entries
            .iter_mut()
            .find(|(name, value)| name == bound.as_str() && matches!(value, Value::Number(_)));
        if let (Value::Bool(true), Some((name, _))) = (flag, bounded) {
            *name = exclusive.as_str().into();
        }
        read.push((bound, exclusive));
    }
    read
}

/// Reads a default that is written as another type's value, `"100"` for an integer, as the value that it spells. Returns whether
/// there was one.
pub(in super::super) fn read_spelled_default(entries: &mut [(Cow<'_, str>, Value<'_>)]) -> bool {
    let of = |keyword: Keyword| {
        entries
            .iter()
            .position(|(name, _)| name == keyword.as_str())
    };
    let (Some(default), Some(types)) = (of(Keyword::Default), of(Keyword::Type)) else {
        return false;
    };
    let types = entries.get(types).and_then(|(_, types)| types.as_str());
    let spelled = match (types, entries.get(default)) {
        (Some("integer" | "number" | "boolean"), Some((_, Value::String(text)))) => {
            Value::parse(text).ok().map(Value::into_owned)
        }
        (Some("string"), Some((_, value @ (Value::Number(_) | Value::Bool(_))))) => {
            Some(Value::String(value.to_json().into()))
        }
        _ => None,
    };
    let fits = |value: &Value<'_>| match types {
        Some("integer") => value.is_integer(),
        Some("number") => matches!(value, Value::Number(_)),
        Some("boolean") => matches!(value, Value::Bool(_)),
        _ => true,
    };
    match (spelled.filter(fits), entries.get_mut(default)) {
        (Some(value), Some((_, default))) => {
            *default = value;
            true
        }
        _ => false,
    }
}
