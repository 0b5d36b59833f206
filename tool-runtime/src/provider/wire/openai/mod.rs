//! `OpenAI`'s Chat Completions.
//!
//! Source: the `ChatCompletionTool`, `ChatCompletionMessageToolCall` and
//! `ChatCompletionRequestToolMessage` of openai/openai-openapi, `openapi.yaml`, 2026-08.

mod stream;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::completion::{Said, Stop};
use super::declared::Declared;
use super::raw::{
    Entries, RawCall, elements, ids, member, object, usage, with_id, words, words_of,
};
use super::stream::Assemble;
use super::write::{Object, list, quoted};
use super::{Format, Parallel, ToolChoice, WireError, read_def};
use crate::schema::render::SchemaDoc;
use crate::tool::{Encoder, ToolCall, ToolDef, ToolResult};

pub(super) struct OpenAiChat;

impl Format for OpenAiChat {
    fn definition(&self, tool: &Declared<'_>) -> String {
        definition(tool)
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        parse_definition(text)
    }

    fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let calls = tool_calls(message(response)?)?;
        Ok(RawCall::read(calls.into_iter().map(raw_call)))
    }

    fn echo(&self, response: &str) -> Result<Vec<String>, WireError> {
        Ok(vec![named(message(response)?, with_id)?])
    }

    fn said(&self, response: &str) -> Result<Said, WireError> {
        let message = message(response)?.get();
        let mut text = content_words(message);
        let refusal = words(member(message, "refusal"));
        let choices = member(response, "choices");
        let choice = elements(choices).first().map_or("", |choice| choice.get());
        let mut stop = Stop::of(
            &words(member(choice, "finish_reason")),
            &["stop", "tool_calls", "function_call"],
            &["length"],
            &["content_filter"],
        );
        if !refusal.is_empty() {
            stop = Some(Stop::Refused);
            text.push_str(&refusal);
        }
        let counts = member(response, "usage");
        let usage = usage(counts, &["prompt_tokens"], &["completion_tokens"]);
        Ok(Said { text, stop, usage })
    }

    fn user(&self, text: &str) -> Option<String> {
        Some(user(text))
    }

    /// Arguments are text here, whatever they are.
    fn assistant(&self, text: &str, calls: &[ToolCall]) -> Vec<String> {
        vec![assistant(text, calls, |call| {
            let function = Object::new()
                .text("name", &call.name)
                .text("arguments", &call.arguments)
                .end();
            Object::new()
                .text("id", &call.id)
                .text("type", "function")
                .json("function", &function)
                .end()
        })]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        Some(conversation(system, messages))
    }

    /// One message an answer. Its content is text: the API takes no other parts of a tool.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        let messages = results.iter().map(|result| {
            Object::new()
                .text("role", "tool")
                .text("tool_call_id", &result.id)
                .text("content", &result.content(encoder))
                .end()
        });
        messages.collect()
    }

    fn tool_choice(&self, choice: &ToolChoice, _: Parallel) -> Option<String> {
        Some(match choice {
            ToolChoice::Specific(name) => {
                let function = Object::new().text("name", name).end();
                Object::new()
                    .text("type", "function")
                    .json("function", &function)
                    .end()
            }
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

/// A message's words: a string, or parts of which some are text.
pub(super) fn content_words(message: &str) -> String {
    let content = member(message, "content");
    match content.filter(|content| content.get().starts_with('[')) {
        Some(parts) => words_of(elements(Some(parts)), "text"),
        None => words(content),
    }
}

pub(super) fn user(text: &str) -> String {
    Object::new()
        .text("role", "user")
        .text("content", text)
        .end()
}

/// The message of a model that calls like this.
pub(super) fn assistant(
    text: &str,
    calls: &[ToolCall],
    call: impl Fn(&ToolCall) -> String,
) -> String {
    let message = Object::new()
        .text("role", "assistant")
        .text("content", text);
    if calls.is_empty() {
        return message.end();
    }
    message
        .json("tool_calls", &list(calls.iter().map(call)))
        .end()
}

/// The system prompt is a message, the first.
pub(super) fn conversation(system: Option<&str>, messages: Vec<String>) -> String {
    let system = system.map(|system| {
        Object::new()
            .text("role", "system")
            .text("content", system)
            .end()
    });
    let messages = list(system.into_iter().chain(messages));
    Object::new().json("messages", &messages).end()
}

/// The choices that are one word.
pub(super) fn mode(choice: &ToolChoice) -> String {
    quoted(match choice {
        ToolChoice::Required => "required",
        ToolChoice::None => "none",
        ToolChoice::Auto | ToolChoice::Specific(_) => "auto",
    })
}

pub(super) fn request(definitions: &str, choice: Option<&str>, parallel: Parallel) -> String {
    let mut body = Object::new().json("tools", definitions);
    if let Some(choice) = choice {
        body = body.json("tool_choice", choice);
    }
    match parallel {
        Parallel::Allowed => body,
        Parallel::Forbidden => body.json("parallel_tool_calls", "false"),
    }
    .end()
}

pub(super) fn definition(tool: &Declared<'_>) -> String {
    let function = |object: Object| {
        let function = object
            .text("name", tool.name)
            .text("description", &tool.def.description)
            .schema("parameters", tool);
        if tool.strict {
            function.json("strict", "true")
        } else {
            function
        }
    };
    let definition = tool.open().text("type", "function");
    definition.object("function", function).end()
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

pub(super) fn tool_calls(message: &RawValue) -> Result<Vec<&RawValue>, WireError> {
    let message: Message<'_> = object(message.get())
        .map_err(|error| WireError::json("this is no OpenAI chat message", error))?;
    Ok(message.tool_calls.unwrap_or_default())
}

/// What stands in the list is a call, however little of it can be read.
pub(super) fn raw_call(call: &RawValue) -> RawCall<'_> {
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

/// The message, of which `name` has changed the calls that it must: with the id that each has.
pub(super) fn named(
    message: &RawValue,
    name: impl Fn(&RawValue, &RawCall<'_>, &str) -> String,
) -> Result<String, WireError> {
    let elements = tool_calls(message)?;
    let calls: Vec<_> = elements.iter().map(|call| raw_call(call)).collect();
    let elements = elements.iter().zip(&calls).zip(ids(&calls));
    let mut changed = false;
    let named: Vec<_> = elements
        .map(|((element, call), id)| {
            let named = name(element, call, &id);
            changed |= named != element.get();
            named
        })
        .collect();
    if !changed {
        return Ok(message.get().to_owned());
    }
    let Entries(entries) = object(message.get())
        .map_err(|error| WireError::json("this is no OpenAI chat message", error))?;
    let named = list(named);
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
