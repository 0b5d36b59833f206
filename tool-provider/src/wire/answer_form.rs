//! An answer that is to be a value: how a request asks for its form.

use std::borrow::Cow;

use super::{JsonText, Wire};
use crate::dialect::{Dialect, Inverse, LowerError, Lowered, lower};
use toolwright_json::ObjectWriter;
use toolwright_schema::render::SchemaDoc;

/// Form of an answer that has to be a value: how a request asks for it, and how the answer is read.
#[derive(Debug, Clone)]
pub struct AnswerForm {
    members: JsonText<'static>,
    inverse: Inverse,
}

impl AnswerForm {
    /// Returns the text of an object whose members belong in the request's body.
    pub fn members(&self) -> &JsonText<'static> {
        &self.members
    }

    /// Restores an answer to the form of the schema. A text that is not JSON stays as it is.
    pub fn restore<'t>(&self, answer: &'t str) -> Cow<'t, str> {
        let restored = self.inverse.raise(answer);
        restored.map_or(Cow::Borrowed(answer), Cow::Owned)
    }
}

/// Schema of an answer, in a provider's dialect.
pub(super) struct AnswerSchema<'s> {
    pub(super) schema: &'s str,
    /// The provider holds the model to the schema.
    pub(super) strict: bool,
    /// The schema is of Gemini's `OpenAPI` form.
    pub(super) openapi: bool,
}

impl AnswerSchema<'_> {
    /// The schema's name, where it wants one.
    pub(super) const NAME: &'static str = "answer";

    /// Writes the schema and whether it is strict.
    pub(super) fn write(&self, object: ObjectWriter) -> ObjectWriter {
        let strict = if self.strict { "true" } else { "false" };
        object.json("schema", self.schema).json("strict", strict)
    }
}

impl Wire {
    /// Returns the form of an answer of this schema, in the dialect or the strict one of the same provider; `None` where
    /// the wire cannot express it. The answer's text is then JSON, which [`AnswerForm::restore`] brings back to the
    /// schema's form.
    ///
    /// ```
    /// use toolwright::{Dialect, Wire, schema::SchemaDoc};
    ///
    /// let schema = SchemaDoc::parse(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#);
    /// let form = Wire::Ollama.answer_form(&schema.unwrap(), Dialect::Ollama).unwrap();
    /// assert!(form.unwrap().members().starts_with(r#"{"format":{"type":"object""#));
    /// ```
    ///
    /// # Errors
    /// When the dialect cannot say the schema.
    pub fn answer_form(
        self,
        schema: &SchemaDoc,
        dialect: Dialect,
    ) -> Result<Option<AnswerForm>, LowerError> {
        let (lowered, dialect) = self.lowered_answer(schema, dialect)?;
        let empty = SchemaDoc::empty_object();
        let members = self.provider().answer_form(&AnswerSchema {
            schema: lowered.schema.as_deref().unwrap_or(empty.as_json()),
            strict: lowered.strict,
            openapi: dialect == Dialect::GeminiOpenApi,
        });
        Ok(members.map(|members| AnswerForm {
            members: JsonText::new(members),
            inverse: lowered.inverse,
        }))
    }

    /// An answer is held to its schema where the provider can do it, whatever its tools are.
    fn lowered_answer(
        self,
        schema: &SchemaDoc,
        dialect: Dialect,
    ) -> Result<(Lowered, Dialect), LowerError> {
        let strict = match dialect {
            Dialect::OpenAiNonStrict => Dialect::OpenAiStrict,
            Dialect::Anthropic => Dialect::AnthropicStrict,
            other => other,
        };
        let lowered = lower(schema, strict).map(|lowered| (lowered, strict));
        match self {
            // It takes a schema that it does not hold the model to.
            Self::OpenAiChat | Self::OpenAiResponses => {
                let non_strict = strict.non_strict();
                lowered.or_else(|_| Ok((lower(schema, non_strict)?, non_strict)))
            }
            _ => lowered,
        }
    }
}
