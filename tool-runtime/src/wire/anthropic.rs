//! Anthropic's Messages.
//!
//! Source: the types `ToolParam`, `ToolUseBlock` and `ToolResultBlockParam` of
//! anthropic-sdk-python, 2026-11.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Object, WireError, id_or_index, lenient_string, list, schema_or_empty};
use crate::{Block, Encoder, Outcome, SchemaDoc, ToolCall, ToolDef, ToolResult};

pub(super) fn definition(def: &ToolDef) -> String {
    Object::new()
        .text("name", &def.name)
        .text("description", &def.description)
        .json("input_schema", &def.input.to_provider_json())
        .end()
}

pub(super) fn parse_definition(text: &str) -> Result<ToolDef, WireError> {
    #[derive(Deserialize)]
    struct Tool {
        name: String,
        #[serde(default)]
        description: String,
        input_schema: Option<SchemaDoc>,
    }
    let tool: Tool = serde_json::from_str(text)
        .map_err(|error| WireError::json("this is no Anthropic tool definition", error))?;
    Ok(ToolDef {
        input: schema_or_empty(tool.input_schema),
        ..ToolDef::new(tool.name, tool.description)
    })
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

/// A block of the content; all but `tool_use` are for somebody else.
#[derive(Deserialize)]
struct ContentBlock<'a> {
    #[serde(rename = "type", default, deserialize_with = "lenient_string")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "lenient_string")]
    id: Option<String>,
    #[serde(default, deserialize_with = "lenient_string")]
    name: Option<String>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

fn content(response: &str) -> Result<&str, WireError> {
    let parsed: Response<'_> = serde_json::from_str(response)
        .map_err(|error| WireError::json("this is no Anthropic message", error))?;
    Ok(parsed.content.get())
}

pub(super) fn assistant_message(response: &str) -> Result<String, WireError> {
    Ok(Object::new()
        .text("role", "assistant")
        .json("content", content(response)?)
        .end())
}

pub(super) fn calls(response: &str) -> Result<Vec<ToolCall>, WireError> {
    let content = content(response)?;
    if content.starts_with('"') {
        // The short form of a message that is text alone.
        return Ok(Vec::new());
    }
    let blocks: Vec<ContentBlock<'_>> = serde_json::from_str(content)
        .map_err(|error| WireError::json("this is no Anthropic message content", error))?;
    Ok(blocks
        .into_iter()
        .filter(|block| block.kind.as_deref() == Some("tool_use"))
        .enumerate()
        .map(|(index, block)| ToolCall {
            id: id_or_index(block.id, index),
            name: block.name.unwrap_or_default().into(),
            arguments: block.input.map_or("", RawValue::get).into(),
        })
        .collect())
}

/// One message for all answers: the API wants every result of a turn in the next user message.
pub(super) fn results(results: &[ToolResult], encoder: Encoder) -> Vec<String> {
    if results.is_empty() {
        return Vec::new();
    }
    let blocks = results.iter().map(|result| {
        let block = Object::new()
            .text("type", "tool_result")
            .text("tool_use_id", &result.id);
        let block = match &result.outcome {
            Ok(Outcome::Content(content)) => {
                block.json("content", &list(content.blocks().iter().map(block_json)))
            }
            _ => block.text("content", &result.content(encoder)),
        };
        if result.is_success() {
            block.end()
        } else {
            block.json("is_error", "true").end()
        }
    });
    vec![
        Object::new()
            .text("role", "user")
            .json("content", &list(blocks))
            .end(),
    ]
}

/// Text and pictures have blocks of their own; of all else the model gets words.
fn block_json(block: &Block) -> String {
    match block {
        Block::Image { mime_type, data } => {
            let source = Object::new()
                .text("type", "base64")
                .text("media_type", mime_type)
                .text("data", data)
                .end();
            Object::new()
                .text("type", "image")
                .json("source", &source)
                .end()
        }
        other => Object::new()
            .text("type", "text")
            .text(
                "text",
                &crate::Content::from(vec![other.clone()]).to_plain(),
            )
            .end(),
    }
}
