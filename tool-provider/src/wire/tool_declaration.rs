//! A tool as a request declares it: in plain JSON Schema, or in a provider's dialect.

use std::borrow::Cow;

use super::Wire;
use crate::call::ToolDef;
use crate::dialect::{Dialect, Lowered, object_root, provider_text};
use toolwright_json::{ObjectWriter, list};
use toolwright_schema::render::SchemaDoc;

/// A tool as a request declares it.
pub(crate) struct ToolDeclaration<'d> {
    pub(super) wire: Wire,
    /// The tool's name in the request.
    pub(super) name: &'d str,
    pub(super) def: &'d ToolDef,
    schema: Input<'d>,
    /// True if the provider holds the model to the schema.
    pub(super) strict: bool,
    /// The schema is of Gemini's `OpenAPI` form.
    pub(super) openapi: bool,
    /// Arguments have another form than the tool's own.
    is_reshaped: bool,
}

/// The schema of a tool's arguments.
enum Input<'d> {
    /// As it is.
    Plain(&'d SchemaDoc),
    Lowered(&'d str),
    /// A tool without arguments is sent without one.
    Nothing,
}

impl<'d> ToolDeclaration<'d> {
    /// In plain JSON Schema.
    pub(crate) fn plain(wire: Wire, def: &'d ToolDef) -> Self {
        Self {
            wire,
            name: &def.name,
            def,
            schema: Input::Plain(&def.input),
            strict: false,
            openapi: false,
            is_reshaped: false,
        }
    }

    /// In a dialect, under the name that the provider takes.
    pub(crate) fn lowered(
        wire: Wire,
        name: &'d str,
        def: &'d ToolDef,
        lowered: &'d Lowered,
        dialect: Dialect,
    ) -> Self {
        Self {
            wire,
            name,
            def,
            schema: lowered
                .schema
                .as_deref()
                .map_or(Input::Nothing, Input::Lowered),
            strict: lowered.strict,
            openapi: dialect == Dialect::GeminiOpenApi,
            is_reshaped: !lowered.inverse.steps().is_empty(),
        }
    }

    /// Returns true if a schema is sent where it need not be.
    pub(super) fn has_schema(&self) -> bool {
        !matches!(self.schema, Input::Nothing)
    }

    /// Appends the schema; a tool without arguments has one too.
    pub(super) fn write_schema(&self, out: &mut String) {
        match self.schema {
            Input::Plain(schema) => out.push_str(&provider_text(schema)),
            Input::Lowered(text) => out.push_str(text),
            Input::Nothing => out.push_str(SchemaDoc::empty_object().as_json()),
        }
    }

    /// Appends the schema with a plain object at its root: clients refuse a whole list with another one.
    pub(super) fn write_object_schema(&self, out: &mut String) {
        let takes_all_of = self.wire == Wire::Mcp2026;
        match self.schema {
            Input::Plain(schema) if let Ok(Some(schema)) = object_root(schema, takes_all_of) => {
                out.push_str(&schema);
            }
            // The list has no tool whose arguments are not objects.
            _ => self.write_schema(out),
        }
    }

    /// The description, with its list of examples if there is one.
    pub(super) fn description(&self) -> Cow<'d, str> {
        let def = self.def;
        let takes_examples = self.wire == Wire::Anthropic && !self.is_reshaped;
        if def.describe_examples && !takes_examples {
            let examples = def.examples_in_words();
            if !examples.is_empty() {
                return format!("{}\n\n{examples}", def.description).into();
            }
        }
        Cow::Borrowed(&*def.description)
    }

    /// The arguments of the examples as a JSON list; nothing without examples. If a dialect has changed the form of the
    /// arguments they are left out, since the provider would refuse the tool's own form.
    pub(super) fn examples(&self) -> Option<String> {
        if self.def.examples.is_empty() || self.is_reshaped {
            return None;
        }
        let fit = self.def.fit_examples();
        let mut texts = fit.map(|example| example.arguments.to_string()).peekable();
        texts.peek().is_some().then(|| list(texts))
    }

    /// An object with room for the definition.
    pub(super) fn open(&self) -> ObjectWriter {
        let schema = match self.schema {
            Input::Lowered(text) => text.len(),
            _ => 384,
        };
        ObjectWriter::sized(128 + self.name.len() + self.def.description.len() + schema)
    }
}
