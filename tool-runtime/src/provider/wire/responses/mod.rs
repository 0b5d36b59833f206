//! `OpenAI`'s Responses.
//!
//! Source: the `FunctionTool`, `FunctionToolCall`, `FunctionCallOutputItemParam` and
//! `ToolChoiceFunction` of openai/openai-openapi, `openapi.yaml`, 2026-08.

mod stream;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::completion::{Said, Stop};
use super::declared::Declared;
use super::openai::{self, mode, request};
use super::raw::{
    RawCall, elements, ids, is_string, is_unreadable_call, member, object, usage, with, words,
    words_of,
};
use super::stream::Assemble;
use super::write::{Object, list};
use super::{Format, Parallel, ToolChoice, WireError, read_def};
use crate::schema::render::SchemaDoc;
use crate::tool::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};

pub(super) struct OpenAiResponses;

impl Format for OpenAiResponses {
    /// `strict` is said: where it is missing, this API takes it for `true`.
    fn definition(&self, tool: &Declared<'_>) -> String {
        let def = tool.def;
        tool.open()
            .text("type", "function")
            .text("name", tool.name)
            .text("description", &def.description)
            .schema("parameters", tool)
            .json("strict", if tool.strict { "true" } else { "false" })
            .end()
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        #[derive(Deserialize)]
        struct Tool {
            #[serde(rename = "type")]
            kind: Option<String>,
            name: Option<String>,
            description: Option<String>,
            parameters: Option<SchemaDoc>,
        }
        let tool: Tool = object(text)
            .map_err(|error| WireError::json("this is no OpenAI tool definition", error))?;
        match (tool.kind.as_deref(), tool.name) {
            (None | Some("function"), Some(name)) => {
                Ok(read_def(name, tool.description, tool.parameters))
            }
            (None | Some("function"), None) => Err(WireError::new(
                "this is no OpenAI tool definition: it has no `name`",
            )),
            // Such as `web_search`: its schema is OpenAI's and so is its code.
            (Some(kind), _) => Err(WireError::new(format!(
                "the tool definition is of the type {kind:?}, which is no function"
            ))),
        }
    }

    fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let items = output(response)?;
        Ok(RawCall::read(items.into_iter().filter_map(raw_call)))
    }

    /// Every item of the output: a reasoning model wants its reasoning back beside its calls.
    fn echo(&self, response: &str) -> Result<Vec<String>, WireError> {
        let items = output(response)?;
        let calls: Vec<_> = items.iter().filter_map(|item| raw_call(item)).collect();
        let mut ids = ids(&calls).into_iter();
        let echoed = items.iter().map(|item| {
            let call = raw_call(item).and_then(|call| Some((call, ids.next()?)));
            match call {
                Some((call, id)) if !call.is_under(&id) => {
                    with(item.get(), "call_id", &super::write::quoted(&id))
                }
                _ => item.get().to_owned(),
            }
        });
        Ok(echoed.collect())
    }

    fn said(&self, response: &str) -> Result<Said, WireError> {
        let status = words(member(response, "status"));
        if status == "failed" {
            let error = member(response, "error");
            return Err(error.map_or_else(
                || WireError::new("the provider reports that the response failed"),
                WireError::reported,
            ));
        }
        let (mut text, mut refusal) = (String::new(), String::new());
        for item in output(response)? {
            // Other items have no such content: a reasoning's is `reasoning_text`.
            let parts = elements(member(item.get(), "content"));
            text += &words_of(parts.iter().copied(), "output_text");
            for part in parts {
                refusal += &words(member(part.get(), "refusal"));
            }
        }
        let details = member(response, "incomplete_details").map_or("", |details| details.get());
        let stop = match (status.as_str(), words(member(details, "reason"))) {
            _ if !refusal.is_empty() => Some(Stop::Refused),
            ("completed", _) => Some(Stop::Done),
            (_, reason) => Stop::of(&reason, &[], &["max_output_tokens"], &["content_filter"]),
        };
        let counts = member(response, "usage");
        Ok(Said {
            text: text + &refusal,
            stop,
            usage: usage(counts, &["input_tokens"], &["output_tokens"]),
        })
    }

    fn user(&self, text: &str) -> Option<String> {
        Some(openai::user(text))
    }

    /// Words and calls are items of their own.
    fn assistant(&self, text: &str, calls: &[ToolCall]) -> Vec<String> {
        let said = Object::new()
            .text("role", "assistant")
            .text("content", text);
        let said = (!text.is_empty() || calls.is_empty()).then(|| said.end());
        let calls = calls.iter().map(|call| {
            Object::new()
                .text("type", "function_call")
                .text("call_id", &call.id)
                .text("name", &call.name)
                .text("arguments", &call.arguments)
                .end()
        });
        said.into_iter().chain(calls).collect()
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let body = Object::new();
        let body = match system {
            Some(system) => body.text("instructions", system),
            None => body,
        };
        Some(body.json("input", &list(messages)).end())
    }

    /// One item an answer. There is no flag for an error.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        let items = results.iter().map(|result| {
            let item = Object::new()
                .text("type", "function_call_output")
                .text("call_id", &result.id);
            match &result.outcome {
                Ok(Outcome::Content(content)) => {
                    let parts = content.blocks().iter().map(part);
                    item.json("output", &list(parts)).end()
                }
                _ => item.text("output", &result.content(encoder)).end(),
            }
        });
        items.collect()
    }

    fn tool_choice(&self, choice: &ToolChoice, _: Parallel) -> Option<String> {
        Some(match choice {
            ToolChoice::Specific(name) => Object::new()
                .text("type", "function")
                .text("name", name)
                .end(),
            word => mode(word),
        })
    }

    fn request(&self, definitions: &str, choice: Option<&str>, parallel: Parallel) -> String {
        request(definitions, choice, parallel)
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Stream::default())
    }
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Vec<&'a RawValue>,
}

/// An item of the output; all but `function_call` are for somebody else.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    call_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

fn output(response: &str) -> Result<Vec<&RawValue>, WireError> {
    let parsed: Response<'_> =
        object(response).map_err(|error| WireError::json("this is no OpenAI response", error))?;
    Ok(parsed.output)
}

/// The item's own `id` is another one: answers name the `call_id`.
fn raw_call(item: &RawValue) -> Option<RawCall<'_>> {
    let Ok(item) = object::<Item<'_>>(item.get()) else {
        return is_unreadable_call(item, "function_call").then(RawCall::default);
    };
    is_string(item.kind?, "function_call").then_some(RawCall {
        id: item.call_id,
        name: item.name,
        arguments: item.arguments,
    })
}

/// Text and pictures have parts of their own; of all else the model gets words.
fn part(block: &Block) -> String {
    match block {
        Block::Image { mime_type, data } => Object::new()
            .text("type", "input_image")
            .text("image_url", &format!("data:{mime_type};base64,{data}"))
            .end(),
        other => Object::new()
            .text("type", "input_text")
            .text("text", &other.to_plain())
            .end(),
    }
}
