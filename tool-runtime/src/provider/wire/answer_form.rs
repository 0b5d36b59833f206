//! An answer that is to be a value: how a request asks for its form.
//!
//! Sources: `response_format` and `text.format` of openai/openai-openapi, `openapi.yaml`, 2026-08;
//! `output_config.format` of Anthropic's documentation, "Structured outputs", 2026-11;
//! `GenerationConfig` of the Gemini API reference (v1beta), 2026-11; `format` of ollama/ollama,
//! `docs/api.md`, 2026-10.

use super::Wire;
use super::write::{Object, quoted};
use crate::provider::dialect::{Dialect, Lowered, Reject, lower};
use crate::schema::render::SchemaDoc;

/// What the schema is called, where it wants a name.
const NAME: &str = "answer";

impl Wire {
    /// The members of a request's body that ask for an answer of this form, in the dialect or the
    /// strict one of the same provider; nothing where the wire has no word for it. The answer's words
    /// are then JSON, in the forms that [`Context::lowered`](crate::Context::lowered) reads.
    ///
    /// ```
    /// use toolwright::{Dialect, SchemaDoc, Wire};
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
    ) -> Result<Option<String>, Reject> {
        let (lowered, dialect) = self.lowered_answer(schema, dialect)?;
        let empty = SchemaDoc::empty_object();
        let schema = lowered.schema.as_deref().unwrap_or(empty.as_json());
        let strict = if lowered.strict { "true" } else { "false" };
        let form = match self {
            Self::OpenAiChat => {
                let named = Object::new()
                    .text("name", NAME)
                    .json("schema", schema)
                    .json("strict", strict)
                    .end();
                let format = Object::new()
                    .text("type", "json_schema")
                    .json("json_schema", &named);
                Object::new().json("response_format", &format.end())
            }
            Self::OpenAiResponses => {
                let format = Object::new()
                    .text("type", "json_schema")
                    .text("name", NAME)
                    .json("schema", schema)
                    .json("strict", strict)
                    .end();
                Object::new().json("text", &Object::new().json("format", &format).end())
            }
            Self::Anthropic => {
                let format = Object::new()
                    .text("type", "json_schema")
                    .json("schema", schema)
                    .end();
                let config = Object::new().json("format", &format).end();
                Object::new().json("output_config", &config)
            }
            Self::Gemini => {
                let key = if dialect == Dialect::GeminiOpenApi {
                    "responseSchema"
                } else {
                    "responseJsonSchema"
                };
                let config = Object::new()
                    .json("responseMimeType", &quoted("application/json"))
                    .json(key, schema)
                    .end();
                Object::new().json("generationConfig", &config)
            }
            Self::Ollama => Object::new().json("format", schema),
            Self::BedrockConverse | Self::Mcp | Self::Mcp2026 => return Ok(None),
        };
        Ok(Some(form.end()))
    }

    /// An answer is held to its schema where the provider can do it, whatever its tools are.
    fn lowered_answer(
        self,
        schema: &SchemaDoc,
        dialect: Dialect,
    ) -> Result<(Lowered, Dialect), Reject> {
        let strict = match dialect {
            Dialect::OpenAiLoose => Dialect::OpenAiStrict,
            Dialect::Anthropic => Dialect::AnthropicStrict,
            other => other,
        };
        let lowered = lower(schema, strict).map(|lowered| (lowered, strict));
        match self {
            // It takes a schema that it does not hold the model to.
            Self::OpenAiChat | Self::OpenAiResponses => {
                let loose = strict.loose();
                lowered.or_else(|_| Ok((lower(schema, loose)?, loose)))
            }
            _ => lowered,
        }
    }
}
