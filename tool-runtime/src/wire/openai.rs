//! `OpenAI`'s Chat Completions.
//!
//! Source: the `ChatCompletionTool`, `ChatCompletionMessageToolCall` and
//! `ChatCompletionRequestToolMessage` of openai/openai-openapi, `openapi.yaml`, 2026-08.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::raw::{Entries, RawCall, ids, object, with_id};
use super::{Object, WireError, list, read_def};
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
        description: Option<String>,
        parameters: Option<SchemaDoc>,
    }
    let tool: Tool = object(text)
        .map_err(|error| WireError::json("this is no OpenAI tool definition", error))?;
    let function = tool.function;
    Ok(read_def(
        function.name,
        function.description,
        function.parameters,
    ))
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    choices: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    tool_calls: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The first choice's message: a request with tools asks for one choice.
fn message(response: &str) -> Result<&RawValue, WireError> {
    let wrong = |error| WireError::json("this is no OpenAI chat response", error);
    let parsed: Response<'_> = object(response).map_err(wrong)?;
    let Some(first) = parsed.choices.first() else {
        return Err(WireError::new("the OpenAI chat response has no choice"));
    };
    let choice: Choice<'_> = object(first.get()).map_err(wrong)?;
    Ok(choice.message)
}

fn tool_calls(message: &RawValue) -> Result<Vec<&RawValue>, WireError> {
    let message: Message<'_> = object(message.get())
        .map_err(|error| WireError::json("this is no OpenAI chat message", error))?;
    Ok(message.tool_calls.unwrap_or_default())
}

/// What stands in the list is a call, however little of it can be read.
fn raw_call(call: &RawValue) -> RawCall<'_> {
    let Ok(Call { id, function }) = object(call.get()) else {
        return RawCall::default();
    };
    let function = function.map(|function| object(function.get()));
    let (name, arguments) = match function {
        Some(Ok(Function { name, arguments })) => (name, arguments),
        Some(Err(_)) | None => (None, None),
    };
    RawCall {
        id,
        name,
        arguments,
    }
}

pub(super) fn calls(response: &str) -> Result<Vec<ToolCall>, WireError> {
    let calls = tool_calls(message(response)?)?;
    Ok(RawCall::read(calls.into_iter().map(raw_call)))
}

pub(super) fn assistant_message(response: &str) -> Result<String, WireError> {
    let message = message(response)?;
    let elements = tool_calls(message)?;
    let calls: Vec<_> = elements.iter().map(|call| raw_call(call)).collect();
    if calls.iter().all(RawCall::has_id) {
        return Ok(message.get().to_owned());
    }
    let Entries(entries) = object(message.get())
        .map_err(|error| WireError::json("this is no OpenAI chat message", error))?;
    let named = elements.iter().zip(&calls).zip(ids(&calls));
    let named = list(named.map(|((element, call), id)| with_id(element, call, &id)));
    let message = entries.iter().fold(Object::new(), |object, (key, value)| {
        let json = if key == "tool_calls" {
            &named
        } else {
            value.get()
        };
        object.json(key, json)
    });
    Ok(message.end())
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
