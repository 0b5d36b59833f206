//! The drafts of JSON Schema, and what each knows.

use toolwright_json::Value;

use crate::keyword::{Holds, Keyword, TYPES};

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

/// Returns true if a draft knows a keyword. What draft 7 and older ones do not know is known later alone.
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
pub(super) fn is_well_formed(keyword: Keyword, value: &Value<'_>) -> bool {
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
        _ => match (keyword.holds(), value) {
            (Holds::Nothing, _) | (Holds::List | Holds::OneOrList, Value::Array(_)) => true,
            (Holds::Named | Holds::NamedOrNames | Holds::Defined, value) => {
                matches!(value, Value::Object(_))
            }
            (Holds::One | Holds::OneOrList, value) => is_schema(value),
            (Holds::List, _) => false,
        },
    }
}
