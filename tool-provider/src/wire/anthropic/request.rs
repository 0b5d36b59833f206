use serde::Deserialize;
use toolwright_json::{ObjectWriter, list};

use super::super::answer_form::AnswerSchema;
use super::super::call::as_object;
use super::super::conversation::{alternating, message};
use super::super::loading::{Echoed, WriteLoading};
use super::super::media::accepted;
use super::super::read::object;
use super::super::tool_declaration::ToolDeclaration;
use super::super::{Loads, Parallel, ToolChoice, WireError, WriteRequest, read_def};
use super::response::refuses;
use super::{Anthropic, loading};
use crate::call::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};
use toolwright_schema::render::SchemaDoc;

impl WriteRequest for Anthropic {
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String {
        let definition = tool
            .open()
            .text("name", tool.name)
            .text("description", &tool.description())
            .with("input_schema", |out| tool.write_schema(out));
        let definition = definition.maybe_json("strict", tool.strict.then_some("true"));
        let has_own = tool.has_extra("input_examples");
        let examples = if has_own { None } else { tool.examples() };
        let definition = definition.maybe_json("input_examples", examples.as_deref());
        tool.with_extras(definition).end()
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        parse_definition(text)
    }

    /// Words that are none would be refused.
    fn user(&self, text: &str) -> Option<String> {
        let block = (!text.trim().is_empty()).then(|| text_block(text))?;
        Some(message("user", "content", [block]))
    }

    fn assistant(&self, text: &str, calls: &[ToolCall], _: Option<&dyn Loads>) -> Vec<String> {
        let words = (!text.trim().is_empty()).then(|| text_block(text));
        let calls = calls.iter().map(|call| {
            ObjectWriter::new()
                .text("type", "tool_use")
                .text("id", &call.id)
                .text("name", &call.name)
                .json("input", &as_object(&call.arguments))
                .end()
        });
        vec![message(
            "assistant",
            "content",
            words.into_iter().chain(calls),
        )]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let body = ObjectWriter::new().maybe_text("system", system);
        let messages = list(alternating(messages, text_block, refuses));
        Some(body.json("messages", &messages).end())
    }

    fn echoed(&self, native: &[String]) -> Echoed {
        loading::echoed(native)
    }

    fn loading(&self) -> Option<&dyn WriteLoading> {
        Some(self)
    }

    fn results(&self, answers: &[ToolResult], encoder: Encoder) -> Vec<String> {
        results(answers, encoder)
    }

    fn response_of(&self, native: &[String]) -> String {
        native.concat()
    }

    fn tool_choice(&self, choice: &ToolChoice, parallel: Parallel) -> Option<String> {
        let value = match choice {
            ToolChoice::Auto => ObjectWriter::new().text("type", "auto"),
            ToolChoice::Required => ObjectWriter::new().text("type", "any"),
            // It takes no word about several calls.
            ToolChoice::None => return Some(ObjectWriter::new().text("type", "none").end()),
            ToolChoice::Specific(name) => {
                ObjectWriter::new().text("type", "tool").text("name", name)
            }
        };
        let alone = (parallel == Parallel::Forbidden).then_some("true");
        Some(value.maybe_json("disable_parallel_tool_use", alone).end())
    }

    fn request(&self, definitions: &str, choice: Option<&str>, _: Parallel) -> String {
        let body = ObjectWriter::new().json("tools", definitions);
        body.maybe_json("tool_choice", choice).end()
    }

    /// Source: `output_config.format` of Anthropic's documentation, "Structured outputs", 2026-11.
    fn answer_form(&self, form: &AnswerSchema<'_>) -> Option<String> {
        let format = ObjectWriter::new()
            .text("type", "json_schema")
            .json("schema", form.schema)
            .end();
        let config = ObjectWriter::new().json("format", &format).end();
        Some(ObjectWriter::new().json("output_config", &config).end())
    }
}

fn parse_definition(text: &str) -> Result<ToolDef, WireError> {
    #[derive(Deserialize)]
    struct Tool {
        #[serde(rename = "type")]
        kind: Option<String>,
        name: String,
        description: Option<String>,
        input_schema: Option<SchemaDoc>,
    }
    let tool: Tool = object(text)
        .map_err(|error| WireError::json("this is not an Anthropic tool definition", error))?;
    match tool.kind.as_deref() {
        None | Some("custom") => Ok(read_def(tool.name, tool.description, tool.input_schema)),
        // Such as `web_search_20250305`: its schema is Anthropic's and so is its code.
        Some(kind) => Err(WireError::new(format!(
            "the tool definition is of the type {kind:?}, which Anthropic runs itself"
        ))),
    }
}

/// One message for all answers: the API wants every result of a turn in the next user message.
fn results(results: &[ToolResult], encoder: Encoder) -> Vec<String> {
    if results.is_empty() {
        return Vec::new();
    }
    let blocks = results.iter().map(|result| {
        let block = ObjectWriter::new()
            .text("type", "tool_result")
            .text("tool_use_id", &result.id);
        let block = match &result.outcome {
            Ok(Outcome::Content(content)) => {
                let blocks = content.blocks().iter().filter(|block| !is_empty(block));
                block.json("content", &list(blocks.map(block_json)))
            }
            _ => block.text("content", &result.content(encoder)),
        };
        let is_error = (!result.is_success()).then_some("true");
        block.maybe_json("is_error", is_error).end()
    });
    vec![message("user", "content", blocks)]
}

fn text_block(text: &str) -> String {
    ObjectWriter::new()
        .text("type", "text")
        .text("text", text)
        .end()
}

/// The API refuses a text block of white space.
pub(super) fn is_empty(block: &Block) -> bool {
    matches!(block, Block::Text { text } if text.trim().is_empty())
}

/// Types of pictures in a result. Sound stands nowhere.
///
/// Source: the types `ToolResultBlockParam` and `Base64ImageSourceParam` of anthropic-sdk-python 2.14, 2026-11.
const PICTURES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Text and pictures have blocks of their own; of all else the model gets words.
pub(super) fn block_json(block: &Block) -> String {
    let picture = match block {
        Block::Image { mime_type, data } => accepted(mime_type, PICTURES).zip(Some(data)),
        _ => None,
    };
    let Some((mime_type, data)) = picture else {
        return text_block(&block.to_plain());
    };
    let source = ObjectWriter::new()
        .text("type", "base64")
        .text("media_type", mime_type)
        .text("data", data)
        .end();
    ObjectWriter::new()
        .text("type", "image")
        .json("source", &source)
        .end()
}
