use serde_json::{Map, Value};

use super::draft::Draft;
use toolwright_schema::keyword::{Holds, Keyword};
use toolwright_schema::text::escaped;

/// Role of a keyword in a walk over a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
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

/// Returns the role of `name` with this value in a draft.
pub(super) fn role(name: &str, value: &Value, draft: Draft) -> Role {
    const NEWER: &str = "this draft does not know it; write the schema in draft 2020-12";

    let Some(keyword) = Keyword::of(name) else {
        return if name.starts_with('$') {
            Role::Refused("no draft knows it; leave it out")
        } else {
            Role::Plain
        };
    };
    let (is_seven, is_twenty) = (draft == Draft::Seven, draft == Draft::Twenty);
    match keyword {
        Keyword::DependentSchemas
        | Keyword::DependentRequired
        | Keyword::UnevaluatedProperties
        | Keyword::UnevaluatedItems
        | Keyword::MinContains
        | Keyword::MaxContains
            if is_seven =>
        {
            Role::Refused(NEWER)
        }
        Keyword::PrefixItems if !is_twenty => Role::Refused(NEWER),
        Keyword::AdditionalItems if is_twenty => {
            Role::Refused("write `items` beside `prefixItems`")
        }
        Keyword::Items if is_twenty => Role::Inside(Holds::One),

        Keyword::Ref => Role::Reference,
        Keyword::DynamicRef if is_twenty => Role::Reference,
        Keyword::RecursiveRef if draft == Draft::Nineteen => Role::Reference,
        Keyword::RecursiveAnchor if draft == Draft::Nineteen => Role::Plain,
        Keyword::DynamicRef | Keyword::DynamicAnchor if is_seven => Role::Refused("write `$ref`"),
        Keyword::RecursiveRef | Keyword::RecursiveAnchor => Role::Refused("write `$ref`"),
        Keyword::DynamicRef => Role::Refused("no draft knows it; leave it out"),
        Keyword::Vocabulary => {
            Role::Refused("the schema of arguments is no meta-schema; leave it out")
        }

        Keyword::ContentSchema => Role::Refused("describe what the string holds in words"),
        Keyword::Nullable if value == &Value::Bool(true) => {
            Role::Refused(r#"write `"type": ["string", "null"]`, with the type that it is"#)
        }
        Keyword::DivisibleBy => Role::Refused("write `multipleOf`"),
        Keyword::Disallow => Role::Refused("write `not`"),
        Keyword::Extends => Role::Refused("write `allOf`"),
        keyword => match keyword.holds() {
            Holds::Nothing => Role::Plain,
            holds if keyword.is_for_the_same_value() => Role::Here(holds),
            holds => Role::Inside(holds),
        },
    }
}

/// The value of a keyword.
pub(super) fn get(keywords: &Map<String, Value>, keyword: Keyword) -> Option<&Value> {
    keywords.get(keyword.as_str())
}

/// Returns true if one of some keywords is there.
pub(super) fn has_any(keywords: &Map<String, Value>, any: &[Keyword]) -> bool {
    any.iter().any(|keyword| get(keywords, *keyword).is_some())
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
        (Holds::Named | Holds::NamedOrNames | Holds::Defined, Value::Object(schemas)) => {
            let named = schemas.iter().filter(|(_, schema)| !schema.is_array());
            named
                .map(|(name, schema)| (format!("/{}", escaped(name)), schema))
                .collect()
        }
        (Holds::One | Holds::OneOrList, schema) => vec![(String::new(), schema)],
        _ => Vec::new(),
    }
}
