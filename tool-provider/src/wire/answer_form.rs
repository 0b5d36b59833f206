//! An answer that is to be a value: how a request asks for its form.

use super::{JsonText, Wire};
use crate::dialect::{Dialect, LowerError, Lowered, lower};
use toolwright_json::ObjectWriter;
use toolwright_schema::render::SchemaDoc;

/// The form of an answer, in a provider's dialect.
pub(super) struct AnswerForm<'s> {
    pub(super) schema: &'s str,
    /// The provider holds the model to the schema.
    pub(super) strict: bool,
    /// The schema is of Gemini's `OpenAPI` form.
    pub(super) openapi: bool,
}

impl AnswerForm<'_> {
    /// The schema's name, where it wants one.
    pub(super) const NAME: &'static str = "answer";

    /// Writes the schema and whether it is strict.
    pub(super) fn write(&self, object: ObjectWriter) -> ObjectWriter {
        let strict = if self.strict { "true" } else { "false" };
        object.json("schema", self.schema).json("strict", strict)
    }
}

impl Wire {
    /// The members of a request's body that ask for an answer of this form, in the dialect or the
    /// strict one of the same provider; nothing where the wire cannot express it. The answer's words
    /// are then JSON, in the forms that `Context::with_lowered` reads.
    ///
    /// ```
    /// use toolwright::{Dialect, Wire, schema::SchemaDoc};
    ///
    /// let schema = SchemaDoc::parse(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#);
    /// let form = Wire::Ollama.answer_form(&schema.unwrap(), Dialect::Ollama).unwrap();
    /// assert!(form.unwrap().starts_with(r#"{"format":{"type":"object""#));
    /// ```
    ///
    /// # Errors
    /// When the dialect cannot say the schema.
    pub fn answer_form(
        self,
        schema: &SchemaDoc,
        dialect: Dialect,
    ) -> Result<Option<JsonText<'static>>, LowerError> {
        let (lowered, dialect) = self.lowered_answer(schema, dialect)?;
        let empty = SchemaDoc::empty_object();
        let form = self.provider().answer_form(&AnswerForm {
            schema: lowered.schema.as_deref().unwrap_or(empty.as_json()),
            strict: lowered.strict,
            openapi: dialect == Dialect::GeminiOpenApi,
        });
        Ok(form.map(JsonText::new))
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
