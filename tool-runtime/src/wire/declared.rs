//! A tool as a request declares it: in plain JSON Schema, or in a provider's dialect.

use std::borrow::Cow;

use crate::{Dialect, Lowered, SchemaDoc, ToolDef};

/// A tool as a request declares it.
pub(super) struct Declared<'d> {
    /// The tool's name, as the provider is told.
    pub(super) name: &'d str,
    pub(super) def: &'d ToolDef,
    /// The schema of the arguments; `None` where a tool without any is sent without one.
    pub(super) schema: Option<Cow<'d, str>>,
    /// Whether the provider holds the model to the schema.
    pub(super) strict: bool,
    /// The schema is of Gemini's `OpenAPI` form.
    pub(super) openapi: bool,
}

impl<'d> Declared<'d> {
    /// In plain JSON Schema.
    pub(super) fn plain(def: &'d ToolDef) -> Self {
        Self {
            name: &def.name,
            def,
            schema: Some(Cow::Owned(def.input.to_provider_json())),
            strict: false,
            openapi: false,
        }
    }

    /// In a dialect, under the name that the provider takes.
    pub(super) fn lowered(
        name: &'d str,
        def: &'d ToolDef,
        lowered: &'d Lowered,
        dialect: Dialect,
    ) -> Self {
        Self {
            name,
            def,
            schema: lowered.schema.as_deref().map(Cow::Borrowed),
            strict: lowered.strict,
            openapi: dialect == Dialect::GeminiOpenApi,
        }
    }

    /// The schema, where a tool without arguments has one too.
    pub(super) fn schema(&self) -> Cow<'_, str> {
        match &self.schema {
            Some(schema) => Cow::Borrowed(schema),
            None => Cow::Owned(SchemaDoc::empty_object().as_json().to_owned()),
        }
    }
}
