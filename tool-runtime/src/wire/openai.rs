//! `OpenAI`'s Chat Completions.
//!
//! Source: the `ChatCompletionTool`, `ChatCompletionMessageToolCall` and
//! `ChatCompletionRequestToolMessage` of openai/openai-openapi, `openapi.yaml`, 2026-08.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Object, WireError, id_or_index, lenient_string, schema_or_empty};
use crate::{Encoder, SchemaDoc, ToolCall, ToolDef, ToolResult};

pub(super) fn definition(def: &ToolDef) -> String {
    let function = Object::new()
        .text("name", &def.name)
        .text("description", &def.description)
        .json("parameters", &def.input.to_provider_json())
        .end();
    Object::new()
        .text("type", "function")
        .json("function", &function)
        .end()
}

pub(super) fn parse_definition(text: &str) -> Result<ToolDef, WireError> {
    #[derive(Deserialize)]
    struct Tool {
        function: Function,
    }
    #[derive(Deserialize)]
    struct Function {
        name: String,
        #[serde(default)]
        description: String,
        parameters: Option<SchemaDoc>,
    }
    let tool: Tool = serde_json::from_str(text)
        .map_err(|error| WireError::json("this is no OpenAI tool definition", error))?;
    let Function {
        name,
        description,
        parameters,
    } = tool.function;
    Ok(ToolDef {
        input: schema_or_empty(parameters),
        ..ToolDef::new(name, description)
    })
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(default, deserialize_with = "lenient_string")]
    id: Option<String>,
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize, Default)]
struct Function<'a> {
    #[serde(default, deserialize_with = "lenient_string")]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The first choice's message: a request with tools asks for one choice.
fn message(response: &str) -> Result<&RawValue, WireError> {
    let parsed: Response<'_> = serde_json::from_str(response)
        .map_err(|error| WireError::json("this is no OpenAI chat response", error))?;
    match parsed.choices.first() {
        Some(choice) => Ok(choice.message),
        None => Err(WireError::new("the OpenAI chat response has no choice")),
    }
}

pub(super) fn assistant_message(response: &str) -> Result<String, WireError> {
    Ok(message(response)?.get().to_owned())
}

pub(super) fn calls(response: &str) -> Result<Vec<ToolCall>, WireError> {
    let message: Message<'_> = serde_json::from_str(message(response)?.get())
        .map_err(|error| WireError::json("this is no OpenAI chat message", error))?;
    let calls = message.tool_calls.unwrap_or_default();
    Ok(calls
        .into_iter()
        .enumerate()
        .map(|(index, call)| {
            let function = call.function.unwrap_or_default();
            ToolCall {
                id: id_or_index(call.id, index),
                name: function.name.unwrap_or_default().into(),
                arguments: arguments(function.arguments),
            }
        })
        .collect())
}

/// `arguments` is a string that holds JSON; some endpoints send the object itself.
fn arguments(raw: Option<&RawValue>) -> Arc<str> {
    let raw = raw.map_or("", RawValue::get);
    match serde_json::from_str::<Cow<'_, str>>(raw) {
        Ok(text) => text.into(),
        Err(_) => raw.into(),
    }
}

/// One message an answer.
pub(super) fn results(results: &[ToolResult], encoder: Encoder) -> Vec<String> {
    let messages = results.iter().map(|result| {
        Object::new()
            .text("role", "tool")
            .text("tool_call_id", &result.id)
            .text("content", &result.content(encoder))
            .end()
    });
    messages.collect()
}
