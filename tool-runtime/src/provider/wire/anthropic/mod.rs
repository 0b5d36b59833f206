//! Anthropic's Messages.
//!
//! Source: the types `ToolParam`, `ToolUseBlock` and `ToolResultBlockParam` of
//! anthropic-sdk-python, 2026-11.

mod stream;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::completion::{Said, Stop};
use super::conversation::alternating;
use super::declared::Declared;
use super::raw::{
    RawCall, as_object, ids, is_string, is_unreadable_call, member, mended, object, text, usage,
    with, with_id, words, words_of,
};
use super::stream::Assemble;
use super::write::{Object, list};
use super::{Format, Parallel, ToolChoice, WireError, read_def};
use crate::schema::render::SchemaDoc;
use crate::text::ShortStr;
use crate::tool::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};

pub(super) struct Anthropic;

impl Format for Anthropic {
    fn definition(&self, tool: &Declared<'_>) -> String {
        let definition = tool
            .open()
            .text("name", tool.name)
            .text("description", &tool.def.description)
            .schema("input_schema", tool);
        if tool.strict {
            return definition.json("strict", "true").end();
        }
        definition.end()
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        parse_definition(text)
    }

    fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let blocks = blocks(content(response)?)?;
        Ok(RawCall::read(blocks.into_iter().filter_map(raw_call)))
    }

    fn echo(&self, response: &str) -> Result<Vec<String>, WireError> {
        let content = content(response)?;
        let blocks = blocks(content)?;
        let calls: Vec<_> = blocks.iter().filter_map(|block| raw_call(block)).collect();
        let message = Object::new().text("role", "assistant");
        let ids = ids(&calls);
        let good = |(call, id): (&RawCall<'_>, &ShortStr)| {
            call.is_under(id) && mended(call.arguments).is_none()
        };
        if calls.iter().zip(&ids).all(good) {
            return Ok(vec![message.json("content", content.get()).end()]);
        }
        let mut ids = ids.into_iter();
        let named = blocks.iter().map(|block| {
            let call = raw_call(block).and_then(|call| Some((call, ids.next()?)));
            let Some((call, id)) = call else {
                return block.get().to_owned();
            };
            let named = with_id(block, &call, &id);
            // A call in which a key stands twice may be readable once its id is put in.
            let again: Option<&RawValue> = serde_json::from_str(&named).ok();
            let input = again.and_then(raw_call).map(|call| mended(call.arguments));
            match input {
                Some(Some(input)) => with(&named, "input", &input),
                _ => named,
            }
        });
        Ok(vec![message.json("content", &list(named)).end()])
    }

    fn said(&self, response: &str) -> Result<Said, WireError> {
        let content = content(response)?;
        let text = match text(content.get()) {
            Some(text) => text.into_owned(),
            None => words_of(blocks(content)?, "text"),
        };
        let stop = Stop::of(
            &words(member(response, "stop_reason")),
            &["end_turn", "tool_use", "stop_sequence"],
            &["max_tokens", "model_context_window_exceeded"],
            &["refusal"],
        );
        let input = [
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ];
        let usage = usage(member(response, "usage"), &input, &["output_tokens"]);
        Ok(Said { text, stop, usage })
    }

    /// Words that are none would be refused.
    fn user(&self, text: &str) -> Option<String> {
        let block = (!text.trim().is_empty()).then(|| text_block(text))?;
        Some(message("user", [block]))
    }

    fn assistant(&self, text: &str, calls: &[ToolCall]) -> Vec<String> {
        let words = (!text.trim().is_empty()).then(|| text_block(text));
        let calls = calls.iter().map(|call| {
            Object::new()
                .text("type", "tool_use")
                .text("id", &call.id)
                .text("name", &call.name)
                .json("input", &as_object(&call.arguments))
                .end()
        });
        vec![message("assistant", words.into_iter().chain(calls))]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let body = Object::new();
        let body = match system {
            Some(system) => body.text("system", system),
            None => body,
        };
        let messages = list(alternating(messages, text_block));
        Some(body.json("messages", &messages).end())
    }

    fn results(&self, answers: &[ToolResult], encoder: Encoder) -> Vec<String> {
        results(answers, encoder)
    }

    fn tool_choice(&self, choice: &ToolChoice, parallel: Parallel) -> Option<String> {
        let value = match choice {
            ToolChoice::Auto => Object::new().text("type", "auto"),
            ToolChoice::Required => Object::new().text("type", "any"),
            // It takes no word about several calls.
            ToolChoice::None => return Some(Object::new().text("type", "none").end()),
            ToolChoice::Specific(name) => Object::new().text("type", "tool").text("name", name),
        };
        Some(match parallel {
            Parallel::Allowed => value.end(),
            Parallel::Forbidden => value.json("disable_parallel_tool_use", "true").end(),
        })
    }

    fn request(&self, definitions: &str, choice: Option<&str>, _: Parallel) -> String {
        let body = Object::new().json("tools", definitions);
        match choice {
            Some(choice) => body.json("tool_choice", choice).end(),
            None => body.end(),
        }
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Stream::default())
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
        .map_err(|error| WireError::json("this is no Anthropic tool definition", error))?;
    match tool.kind.as_deref() {
        None | Some("custom") => Ok(read_def(tool.name, tool.description, tool.input_schema)),
        // Such as `web_search_20250305`: its schema is Anthropic's and so is its code.
        Some(kind) => Err(WireError::new(format!(
            "the tool definition is of the type {kind:?}, which Anthropic runs itself"
        ))),
    }
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

/// A block of the content; all but `tool_use` are for somebody else.
#[derive(Deserialize)]
struct ContentBlock<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

fn content(response: &str) -> Result<&RawValue, WireError> {
    let parsed: Response<'_> =
        object(response).map_err(|error| WireError::json("this is no Anthropic message", error))?;
    Ok(parsed.content)
}

fn blocks(content: &RawValue) -> Result<Vec<&RawValue>, WireError> {
    if content.get().starts_with('"') {
        // The short form of a message that is text alone.
        return Ok(Vec::new());
    }
    serde_json::from_str(content.get())
        .map_err(|error| WireError::json("this is no Anthropic message content", error))
}

fn raw_call(block: &RawValue) -> Option<RawCall<'_>> {
    let Ok(block) = object::<ContentBlock<'_>>(block.get()) else {
        return is_unreadable_call(block, "tool_use").then(RawCall::default);
    };
    is_string(block.kind?, "tool_use").then_some(RawCall {
        id: block.id,
        name: block.name,
        arguments: block.input,
    })
}

/// One message for all answers: the API wants every result of a turn in the next user message.
fn results(results: &[ToolResult], encoder: Encoder) -> Vec<String> {
    if results.is_empty() {
        return Vec::new();
    }
    let blocks = results.iter().map(|result| {
        let block = Object::new()
            .text("type", "tool_result")
            .text("tool_use_id", &result.id);
        let block = match &result.outcome {
            Ok(Outcome::Content(content)) => {
                let blocks = content.blocks().iter().filter(|block| !is_empty(block));
                block.json("content", &list(blocks.map(block_json)))
            }
            _ => block.text("content", &result.content(encoder)),
        };
        if result.is_success() {
            block.end()
        } else {
            block.json("is_error", "true").end()
        }
    });
    vec![message("user", blocks)]
}

fn message(role: &str, blocks: impl IntoIterator<Item = String>) -> String {
    Object::new()
        .text("role", role)
        .json("content", &list(blocks))
        .end()
}

fn text_block(text: &str) -> String {
    Object::new().text("type", "text").text("text", text).end()
}

/// The API refuses a text block without text.
fn is_empty(block: &Block) -> bool {
    matches!(block, Block::Text { text } if text.is_empty())
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
        other => text_block(&other.to_plain()),
    }
}
