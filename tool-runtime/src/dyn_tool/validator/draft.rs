use serde_json::Value;

use crate::dyn_tool::{SchemaError, SchemaErrorKind};
use toolwright_schema::decode::fault::say;
use toolwright_schema::keyword::Keyword;

/// The drafts of JSON Schema that tools are described in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Draft {
    Seven,
    Nineteen,
    Twenty,
}

impl Draft {
    /// The draft that `$schema` names; the newest one without it.
    pub(super) fn of(schema: &Value) -> Result<Self, SchemaError> {
        let Some(named) = schema.get(Keyword::Schema.as_str()) else {
            return Ok(Self::Twenty);
        };
        let uri = named.as_str().unwrap_or_default();
        let bare = uri.strip_suffix('#').unwrap_or(uri);
        let bare = bare.split_once("://").map_or(bare, |(_, rest)| rest);
        match bare {
            "json-schema.org/draft/2020-12/schema" => Ok(Self::Twenty),
            "json-schema.org/draft/2019-09/schema" => Ok(Self::Nineteen),
            "json-schema.org/draft-07/schema" => Ok(Self::Seven),
            _ => Err(SchemaError {
                kind: SchemaErrorKind::UnknownDraft,
                at: "/$schema".into(),
                message: format!(
                    "{} is no draft that is known here; write the schema in draft 2020-12, 2019-09 or 7",
                    say::shortened(&named.to_string())
                ),
            }),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Seven => "draft 7",
            Self::Nineteen => "draft 2019-09",
            Self::Twenty => "draft 2020-12",
        }
    }

    pub(super) fn library(self) -> jsonschema::Draft {
        match self {
            Self::Seven => jsonschema::Draft::Draft7,
            Self::Nineteen => jsonschema::Draft::Draft201909,
            Self::Twenty => jsonschema::Draft::Draft202012,
        }
    }

    /// Checks the schema against this draft's meta-schema.
    pub(super) fn check(self, schema: &Value) -> Result<(), SchemaError> {
        let checked = match self {
            Self::Seven => jsonschema::draft7::meta::validate(schema),
            Self::Nineteen => jsonschema::draft201909::meta::validate(schema),
            Self::Twenty => jsonschema::draft202012::meta::validate(schema),
        };
        checked.map_err(|error| {
            let got = say::shortened(&error.instance().to_string());
            SchemaError {
                kind: SchemaErrorKind::Invalid,
                at: error.instance_path().as_str().to_owned(),
                message: format!("{got} is not valid here in JSON Schema {}", self.name()),
            }
        })
    }
}
