//! Ollama's `/api/chat`.
//!
//! Source: the types `Message`, `ToolCall` and `Tool` of ollama/ollama, `api/types.go`, and
//! `docs/api.md`, 2026-10.

mod stream;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::completion::{Said, Stop};
use super::declared::Declared;
use super::openai::{self, named, raw_call, tool_calls};
use super::raw::{RawCall, as_object, member, mended, object, usage, with, with_id, words};
use super::stream::Assemble;
use super::write::{Object, list, quoted};
use super::{Format, Parallel, ToolChoice, WireError};
use crate::tool::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};

pub(super) struct Ollama;

impl Format for Ollama {
    /// The form is that of `OpenAI`'s chat.
    fn definition(&self, tool: &Declared<'_>) -> String {
        openai::definition(tool)
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        openai::parse_definition(text)
    }

    fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let calls = tool_calls(message(response)?)?;
        Ok(RawCall::read(calls.into_iter().map(raw_call)))
    }

    fn echo(&self, response: &str) -> Result<Vec<String>, WireError> {
        Ok(vec![named(message(response)?, echoed)?])
    }

    fn said(&self, response: &str) -> Result<Said, WireError> {
        let text = openai::content_words(message(response)?.get());
        let reason = words(member(response, "done_reason"));
        let whole: Option<&RawValue> = serde_json::from_str(response).ok();
        Ok(Said {
            text,
            stop: Stop::of(&reason, &["stop"], &["length"], &[]),
            usage: usage(whole, &["prompt_eval_count"], &["eval_count"]),
        })
    }

    fn user(&self, text: &str) -> Option<String> {
        Some(openai::user(text))
    }

    fn assistant(&self, text: &str, calls: &[ToolCall]) -> Vec<String> {
        vec![openai::assistant(text, calls, |call| {
            let function = Object::new()
                .text("name", &call.name)
                .json("arguments", &as_object(&call.arguments))
                .end();
            Object::new()
                .text("id", &call.id)
                .json("function", &function)
                .end()
        })]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        Some(openai::conversation(system, messages))
    }

    /// One message an answer. Pictures stand beside the text, which says that they are there;
    /// there is no flag for an error.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        let messages = results.iter().map(|result| {
            let message = Object::new()
                .text("role", "tool")
                .text("tool_name", &result.name)
                .text("tool_call_id", &result.id)
                .text("content", &result.content(encoder));
            match pictures(result) {
                Some(pictures) => message.json("images", &pictures).end(),
                None => message.end(),
            }
        });
        messages.collect()
    }

    /// There is no word for any: the model chooses among the tools that are sent.
    fn tool_choice(&self, _: &ToolChoice, _: Parallel) -> Option<String> {
        None
    }

    fn request(&self, definitions: &str, _: Option<&str>, _: Parallel) -> String {
        Object::new().json("tools", definitions).end()
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Stream::default())
    }
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

fn message(response: &str) -> Result<&RawValue, WireError> {
    let parsed: Response<'_> = object(response)
        .map_err(|error| WireError::json("this is no Ollama chat response", error))?;
    Ok(parsed.message)
}

/// A call as the server takes it back: its arguments must be an object.
fn echoed(element: &RawValue, call: &RawCall<'_>, id: &str) -> String {
    #[derive(Deserialize)]
    struct Call<'a> {
        #[serde(borrow)]
        function: &'a RawValue,
    }
    let named = with_id(element, call, id);
    let Some(arguments) = mended(call.arguments) else {
        return named;
    };
    let function = object::<Call<'_>>(element.get()).map_or("", |call| call.function.get());
    let function = with(function, "arguments", &arguments);
    with(&named, "function", &function)
}

fn pictures(result: &ToolResult) -> Option<String> {
    let Ok(Outcome::Content(content)) = &result.outcome else {
        return None;
    };
    let pictures = content.blocks().iter().filter_map(|block| match block {
        Block::Image { data, .. } => Some(quoted(data)),
        _ => None,
    });
    let pictures: Vec<_> = pictures.collect();
    (!pictures.is_empty()).then(|| list(pictures))
}
