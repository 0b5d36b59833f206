//! Amazon Bedrock's Converse.
//!
//! Source: the shapes `ToolSpecification`, `ToolUseBlock`, `ToolResultBlock` and `ToolChoice` of
//! botocore's `bedrock-runtime` 2023-09-30 `service-2.json`, botocore 1.44, 2026-11.

mod stream;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::completion::{Said, Stop};
use super::conversation::alternating;
use super::declared::Declared;
use super::raw::{RawCall, as_object, has_key, ids, member, mended, object, usage, with, words};
use super::stream::Assemble;
use super::write::{Object, list, quoted};
use super::{Format, Parallel, ToolChoice, WireError, read_def};
use crate::schema::render::SchemaDoc;
use crate::text::ShortStr;
use crate::tool::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};

pub(super) struct BedrockConverse;

impl Format for BedrockConverse {
    /// An empty description is refused, so it is left out.
    fn definition(&self, tool: &Declared<'_>) -> String {
        let def = tool.def;
        let spec = |object: Object| {
            let spec = object.text("name", tool.name);
            let spec = if def.description.is_empty() {
                spec
            } else {
                spec.text("description", &def.description)
            };
            spec.object("inputSchema", |schema| schema.schema("json", tool))
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
            .map_err(|error| WireError::json("this is no Bedrock tool definition", error))?;
        let spec = tool.tool_spec;
        let schema = spec.input_schema.and_then(|schema| schema.json);
        Ok(read_def(spec.name, spec.description, schema))
    }

    fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let blocks = blocks(message(response)?)?;
        Ok(RawCall::read(blocks.into_iter().filter_map(raw_call)))
    }

    fn echo(&self, response: &str) -> Result<Vec<String>, WireError> {
        let message = message(response)?;
        let blocks = blocks(message)?;
        let calls: Vec<_> = blocks.iter().filter_map(|block| raw_call(block)).collect();
        let ids = ids(&calls);
        let good = |(call, id): (&RawCall<'_>, &ShortStr)| {
            call.is_under(id) && mended(call.arguments).is_none()
        };
        if calls.iter().zip(&ids).all(good) {
            return Ok(vec![message.get().to_owned()]);
        }
        let mut ids = ids.into_iter();
        let named = list(blocks.iter().map(|block| {
            match raw_call(block).and_then(|call| Some((call, ids.next()?))) {
                Some((call, id)) => named(block, &call, &id),
                None => block.get().to_owned(),
            }
        }));
        Ok(vec![with(message.get(), "content", &named)])
    }

    fn said(&self, response: &str) -> Result<Said, WireError> {
        let blocks = blocks(message(response)?)?;
        let words_in = |block: &&RawValue| words(member(block.get(), "text"));
        let stop = Stop::of(
            &words(member(response, "stopReason")),
            &["end_turn", "tool_use", "stop_sequence"],
            &["max_tokens", "model_context_window_exceeded"],
            &["guardrail_intervened", "content_filtered"],
        );
        let input = [
            "inputTokens",
            "cacheReadInputTokens",
            "cacheWriteInputTokens",
        ];
        Ok(Said {
            text: blocks.iter().map(words_in).collect(),
            stop,
            usage: usage(member(response, "usage"), &input, &["outputTokens"]),
        })
    }

    fn user(&self, text: &str) -> Option<String> {
        let block = (!text.trim().is_empty()).then(|| text_block(text))?;
        Some(message_of("user", [block]))
    }

    fn assistant(&self, text: &str, calls: &[ToolCall]) -> Vec<String> {
        let words = (!text.trim().is_empty()).then(|| text_block(text));
        let calls = calls.iter().map(|call| {
            let tool_use = Object::new()
                .text("toolUseId", &call.id)
                .text("name", &call.name)
                .json("input", &as_object(&call.arguments));
            Object::new().json("toolUse", &tool_use.end()).end()
        });
        vec![message_of("assistant", words.into_iter().chain(calls))]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let body = Object::new();
        let body = match system {
            Some(system) => body.json("system", &list([text_block(system)])),
            None => body,
        };
        let messages = list(alternating(messages, text_block));
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
            let block = Object::new()
                .text("toolUseId", &result.id)
                .json("content", &content);
            // Not every model takes the word for a success.
            let block = if result.is_success() {
                block
            } else {
                block.text("status", "error")
            };
            Object::new().json("toolResult", &block.end()).end()
        });
        vec![message_of("user", blocks)]
    }

    fn tool_choice(&self, choice: &ToolChoice, parallel: Parallel) -> Option<String> {
        if parallel == Parallel::Forbidden {
            return None;
        }
        let (word, value) = match choice {
            ToolChoice::Auto => ("auto", "{}".to_owned()),
            ToolChoice::Required => ("any", "{}".to_owned()),
            ToolChoice::None => return None,
            ToolChoice::Specific(name) => ("tool", Object::new().text("name", name).end()),
        };
        Some(Object::new().json(word, &value).end())
    }

    fn request(&self, definitions: &str, choice: Option<&str>, _: Parallel) -> String {
        let config = Object::new().json("tools", definitions);
        // Some models refuse the word for what they do anyway.
        let config = match choice.filter(|choice| *choice != r#"{"auto":{}}"#) {
            Some(choice) => config.json("toolChoice", choice),
            None => config,
        };
        Object::new().json("toolConfig", &config.end()).end()
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Stream::default())
    }
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Output<'a>,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct ContentBlock<'a> {
    #[serde(rename = "toolUse", borrow, default)]
    tool_use: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ToolUse<'a> {
    #[serde(rename = "toolUseId", borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

fn message(response: &str) -> Result<&RawValue, WireError> {
    let parsed: Response<'_> = object(response)
        .map_err(|error| WireError::json("this is no Bedrock Converse response", error))?;
    Ok(parsed.output.message)
}

fn blocks(message: &RawValue) -> Result<Vec<&RawValue>, WireError> {
    let message: Message<'_> = object(message.get())
        .map_err(|error| WireError::json("this is no Bedrock Converse message", error))?;
    Ok(message.content)
}

fn raw_call(block: &RawValue) -> Option<RawCall<'_>> {
    let Ok(readable) = object::<ContentBlock<'_>>(block.get()) else {
        return has_key(block, "toolUse").then(RawCall::default);
    };
    let Ok(ToolUse { id, name, input }) = object(readable.tool_use?.get()) else {
        return Some(RawCall::default());
    };
    Some(RawCall {
        id,
        name,
        arguments: input,
    })
}

fn named(block: &RawValue, call: &RawCall<'_>, id: &str) -> String {
    let Ok(ContentBlock {
        tool_use: Some(tool_use),
    }) = object(block.get())
    else {
        // It stands there twice, and cannot be read: what is left is a call that can be answered.
        let call = Object::new().text("toolUseId", id).text("name", "");
        let call = call.json("input", "{}").end();
        return with(block.get(), "toolUse", &call);
    };
    let mut tool_use = tool_use.get().to_owned();
    if !call.is_under(id) {
        tool_use = with(&tool_use, "toolUseId", &quoted(id));
    }
    if let Some(input) = mended(call.arguments) {
        tool_use = with(&tool_use, "input", &input);
    }
    with(block.get(), "toolUse", &tool_use)
}

fn message_of(role: &str, blocks: impl IntoIterator<Item = String>) -> String {
    Object::new()
        .text("role", role)
        .json("content", &list(blocks))
        .end()
}

fn text_block(text: &str) -> String {
    Object::new().text("text", text).end()
}

/// The API refuses a text block without text.
fn is_blank(block: &Block) -> bool {
    matches!(block, Block::Text { text } if text.trim().is_empty())
}

/// Text, data and the pictures of four formats have blocks of their own; of all else the model gets
/// words. Data that is no object is text: models refuse it as `json`.
fn block_json(block: &Block) -> String {
    match block {
        Block::Json { value } if value.is_object() => {
            Object::new().json("json", &value.to_string()).end()
        }
        Block::Image { mime_type, data } => match mime_type.strip_prefix("image/") {
            Some(format @ ("png" | "jpeg" | "gif" | "webp")) => {
                let source = Object::new().text("bytes", data).end();
                let image = Object::new().text("format", format).json("source", &source);
                Object::new().json("image", &image.end()).end()
            }
            _ => text_block(&block.to_plain()),
        },
        other => text_block(&other.to_plain()),
    }
}
