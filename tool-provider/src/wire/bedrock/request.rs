use serde::Deserialize;
use toolwright_json::{ObjectWriter, list};

use super::super::answer_form::AnswerSchema;
use super::super::call::as_object;
use super::super::conversation::{alternating, message};
use super::super::media::accepted;
use super::super::read::object;
use super::super::tool_declaration::ToolDeclaration;
use super::super::{Loads, Parallel, ToolChoice, WireError, WriteRequest, read_def};
use super::BedrockConverse;
use super::response::refuses;
use crate::call::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};
use toolwright_schema::render::SchemaDoc;

impl WriteRequest for BedrockConverse {
    /// An empty description is refused, so it is left out.
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String {
        let spec = |object: ObjectWriter| {
            let description = tool.description();
            let description = Some(&*description).filter(|text| !text.is_empty());
            let spec = object.text("name", tool.name);
            let spec = spec.maybe_text("description", description);
            let spec = spec.object("inputSchema", |schema| {
                schema.with("json", |out| tool.write_schema(out))
            });
            tool.with_extras(spec)
        };
        tool.open().object("toolSpec", spec).end()
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Tool {
            tool_spec: Spec,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Spec {
            name: String,
            description: Option<String>,
            input_schema: Option<Schema>,
        }
        #[derive(Deserialize)]
        struct Schema {
            json: Option<SchemaDoc>,
        }
        let tool: Tool = object(text)
            .map_err(|error| WireError::json("this is not a Bedrock tool definition", error))?;
        let spec = tool.tool_spec;
        let schema = spec.input_schema.and_then(|schema| schema.json);
        Ok(read_def(spec.name, spec.description, schema))
    }

    fn user(&self, text: &str) -> Option<String> {
        let block = (!text.trim().is_empty()).then(|| text_block(text))?;
        Some(message("user", "content", [block]))
    }

    fn assistant(&self, text: &str, calls: &[ToolCall], _: Option<&dyn Loads>) -> Vec<String> {
        let words = (!text.trim().is_empty()).then(|| text_block(text));
        let calls = calls.iter().map(|call| {
            let tool_use = ObjectWriter::new()
                .text("toolUseId", &call.id)
                .text("name", &call.name)
                .json("input", &as_object(&call.arguments));
            ObjectWriter::new().json("toolUse", &tool_use.end()).end()
        });
        vec![message(
            "assistant",
            "content",
            words.into_iter().chain(calls),
        )]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let system = system.map(|system| list([text_block(system)]));
        let body = ObjectWriter::new().maybe_json("system", system.as_deref());
        let messages = list(alternating(messages, text_block, refuses));
        Some(body.json("messages", &messages).end())
    }

    /// One message for all answers: the API wants every result of a turn in the next user message.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        if results.is_empty() {
            return Vec::new();
        }
        let blocks = results.iter().map(|result| {
            let content = match &result.outcome {
                Ok(Outcome::Content(content)) => {
                    let blocks = content.blocks().iter().filter(|block| !is_blank(block));
                    list(blocks.map(block_json))
                }
                _ => {
                    let text = Block::Text {
                        text: result.content(encoder).into_owned(),
                    };
                    list((!is_blank(&text)).then(|| block_json(&text)))
                }
            };
            let block = ObjectWriter::new()
                .text("toolUseId", &result.id)
                .json("content", &content);
            // Not every model takes the word for a success.
            let block = block.maybe_text("status", (!result.is_success()).then_some("error"));
            ObjectWriter::new().json("toolResult", &block.end()).end()
        });
        vec![message("user", "content", blocks)]
    }

    fn response_of(&self, native: &[String]) -> String {
        let output = ObjectWriter::new().json("message", &native.concat());
        ObjectWriter::new().json("output", &output.end()).end()
    }

    fn tool_choice(&self, choice: &ToolChoice, parallel: Parallel) -> Option<String> {
        if parallel == Parallel::Forbidden {
            return None;
        }
        let (word, value) = match choice {
            ToolChoice::Auto => ("auto", "{}".to_owned()),
            ToolChoice::Required => ("any", "{}".to_owned()),
            ToolChoice::None => return None,
            ToolChoice::Specific(name) => ("tool", ObjectWriter::new().text("name", name).end()),
        };
        Some(ObjectWriter::new().json(word, &value).end())
    }

    fn request(&self, definitions: &str, choice: Option<&str>, _: Parallel) -> String {
        let config = ObjectWriter::new().json("tools", definitions);
        // Some models refuse the word for what they do anyway.
        let choice = choice.filter(|choice| *choice != r#"{"auto":{}}"#);
        let config = config.maybe_json("toolChoice", choice);
        ObjectWriter::new().json("toolConfig", &config.end()).end()
    }

    fn answer_form(&self, _: &AnswerSchema<'_>) -> Option<String> {
        None
    }
}

fn text_block(text: &str) -> String {
    ObjectWriter::new().text("text", text).end()
}

/// The API refuses a text block of white space.
fn is_blank(block: &Block) -> bool {
    matches!(block, Block::Text { text } if text.trim().is_empty())
}

/// Types of pictures in a result. Sound stands in messages of the user alone, and few models take it.
///
/// Source: the shapes `ToolResultContentBlock` and `ImageFormat` of botocore 1.44, 2026-11.
const PICTURES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Text, data and pictures have their own blocks; others become text. Data that is not an object is text: models refuse it
/// as `json`.
fn block_json(block: &Block) -> String {
    match block {
        Block::Json { value } if value.is_object() => {
            ObjectWriter::new().json("json", &value.to_string()).end()
        }
        Block::Image { mime_type, data } => match accepted(mime_type, PICTURES) {
            Some(mime_type) => {
                let format = mime_type.trim_start_matches("image/");
                let source = ObjectWriter::new().text("bytes", data).end();
                let image = ObjectWriter::new()
                    .text("format", format)
                    .json("source", &source);
                ObjectWriter::new().json("image", &image.end()).end()
            }
            None => text_block(&block.to_plain()),
        },
        other => text_block(&other.to_plain()),
    }
}
