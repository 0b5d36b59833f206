use serde::Deserialize;
use toolwright_json::{ObjectWriter, list, quoted};

use super::super::answer_form::AnswerSchema;
use super::super::conversation::{media_of, message};
use super::super::media::accepted;
use super::super::read::{Members, elements, object};
use super::super::tool_declaration::ToolDeclaration;
use super::super::{Loads, Parallel, ToolChoice, WireError, WriteRequest, read_def};
use super::OpenAiChat;
use crate::call::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};
use toolwright_schema::render::SchemaDoc;

impl WriteRequest for OpenAiChat {
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String {
        definition(tool)
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        parse_definition(text)
    }

    fn user(&self, text: &str) -> Option<String> {
        Some(user(text))
    }

    /// Arguments are text here, whatever they are.
    fn assistant(&self, text: &str, calls: &[ToolCall], _: Option<&dyn Loads>) -> Vec<String> {
        vec![assistant(text, calls, |call| {
            let function = ObjectWriter::new()
                .text("name", &call.name)
                .text("arguments", &call.arguments)
                .end();
            ObjectWriter::new()
                .text("id", &call.id)
                .text("type", "function")
                .json("function", &function)
                .end()
        })]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let messages = messages.into_iter().filter_map(readable);
        Some(conversation(system, messages.collect()))
    }

    /// One message an answer. Its content is text: the API takes no other parts of a tool. Pictures may follow in a message
    /// of the user.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        let messages = results.iter().map(|result| {
            ObjectWriter::new()
                .text("role", "tool")
                .text("tool_call_id", &result.id)
                .text("content", &result.content(encoder))
                .end()
        });
        let mut messages: Vec<_> = messages.collect();
        if encoder.has_pictures_after() {
            let parts: Vec<_> = results.iter().flat_map(pictures).collect();
            messages.extend((!parts.is_empty()).then(|| message("user", "content", parts)));
        }
        messages
    }

    fn response_of(&self, native: &[String]) -> String {
        let choice = ObjectWriter::new().json("message", &native.concat());
        let choices = list([choice.end()]);
        ObjectWriter::new().json("choices", &choices).end()
    }

    fn tool_choice(&self, choice: &ToolChoice, _: Parallel) -> Option<String> {
        Some(match choice {
            ToolChoice::Specific(name) => {
                let function = ObjectWriter::new().text("name", name).end();
                ObjectWriter::new()
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

    /// Source: `response_format` of openai/openai-openapi, `openapi.yaml`, 2026-08.
    fn answer_form(&self, form: &AnswerSchema<'_>) -> Option<String> {
        let named = form.write(ObjectWriter::new().text("name", AnswerSchema::NAME));
        let format = ObjectWriter::new()
            .text("type", "json_schema")
            .json("json_schema", &named.end());
        let body = ObjectWriter::new().json("response_format", &format.end());
        Some(body.end())
    }
}

/// Types of pictures. Models for sound have parts for it, which all others refuse.
///
/// Source: "Images and vision" of `OpenAI`'s documentation, 2026-11; `FunctionToolCallOutput` of openai/openai-openapi,
/// `openapi.yaml`, 2026-08.
pub(in super::super) const PICTURES: &[&str] =
    &["image/png", "image/jpeg", "image/gif", "image/webp"];

pub(in super::super) fn data_url(mime_type: &str, data: &str) -> String {
    format!("data:{mime_type};base64,{data}")
}

/// The pictures of a result, behind words that say of which.
fn pictures(result: &ToolResult) -> Vec<String> {
    let Ok(Outcome::Content(content)) = &result.outcome else {
        return Vec::new();
    };
    let pictures = content.blocks().iter().filter_map(|block| match block {
        Block::Image { mime_type, data } => {
            let url = data_url(accepted(mime_type, PICTURES)?, data);
            let url = ObjectWriter::new().text("url", &url).end();
            let part = ObjectWriter::new().text("type", "image_url");
            Some(part.json("image_url", &url).end())
        }
        _ => None,
    });
    let mut parts: Vec<_> = pictures.collect();
    if !parts.is_empty() {
        let words = ObjectWriter::new().text("type", "text");
        parts.insert(0, words.text("text", &media_of(result)).end());
    }
    parts
}

pub(in super::super) fn user(text: &str) -> String {
    ObjectWriter::new()
        .text("role", "user")
        .text("content", text)
        .end()
}

/// Returns a model's message as it may go back: without an empty list of calls, and `None` if it says nothing, both of
/// which are refused. Messages of others stay.
///
/// Source: `ChatCompletionRequestAssistantMessage` of openai/openai-openapi, `openapi.yaml`, 2026-08: `content` is
/// required without calls; Mistral wants words or calls.
pub(super) fn readable(message: String) -> Option<String> {
    let members = Members::read(&message).unwrap_or_default();
    let is_others = members.get("role").is_some() && !members.says("role", "assistant");
    if is_others || !elements(members.get("tool_calls")).is_empty() {
        return Some(message);
    }
    let says = |key: &str| {
        members
            .get(key)
            .is_some_and(|said| !matches!(said.get(), "\"\"" | "[]"))
    };
    if !["content", "refusal", "audio", "function_call"]
        .into_iter()
        .any(says)
    {
        return None;
    }
    if members.get("tool_calls").is_none() {
        return Some(message);
    }
    let kept = members.iter().filter(|(key, _)| *key != "tool_calls");
    let kept = kept.fold(ObjectWriter::new(), |object, (key, value)| {
        object.json(key, value.get())
    });
    Some(kept.end())
}

/// The message of a model that calls like this.
pub(in super::super) fn assistant(
    text: &str,
    calls: &[ToolCall],
    call: impl Fn(&ToolCall) -> String,
) -> String {
    let message = ObjectWriter::new()
        .text("role", "assistant")
        .text("content", text);
    let calls = (!calls.is_empty()).then(|| list(calls.iter().map(call)));
    message.maybe_json("tool_calls", calls.as_deref()).end()
}

/// The system prompt is a message, the first.
pub(in super::super) fn conversation(system: Option<&str>, messages: Vec<String>) -> String {
    let system = system.map(|system| {
        ObjectWriter::new()
            .text("role", "system")
            .text("content", system)
            .end()
    });
    let messages = list(system.into_iter().chain(messages));
    ObjectWriter::new().json("messages", &messages).end()
}

/// The choices that are one word.
pub(in super::super) fn mode(choice: &ToolChoice) -> String {
    quoted(match choice {
        ToolChoice::Required => "required",
        ToolChoice::None => "none",
        ToolChoice::Auto | ToolChoice::Specific(_) => "auto",
    })
}

pub(in super::super) fn request(
    definitions: &str,
    choice: Option<&str>,
    parallel: Parallel,
) -> String {
    let alone = (parallel == Parallel::Forbidden).then_some("false");
    let body = ObjectWriter::new().json("tools", definitions);
    let body = body.maybe_json("tool_choice", choice);
    body.maybe_json("parallel_tool_calls", alone).end()
}

pub(in super::super) fn definition(tool: &ToolDeclaration<'_>) -> String {
    let function = |object: ObjectWriter| {
        let function = object
            .text("name", tool.name)
            .text("description", &tool.description())
            .with("parameters", |out| tool.write_schema(out));
        function.maybe_json("strict", tool.strict.then_some("true"))
    };
    let definition = tool.open().text("type", "function");
    tool.with_extras(definition.object("function", function))
        .end()
}

pub(in super::super) fn parse_definition(text: &str) -> Result<ToolDef, WireError> {
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
        .map_err(|error| WireError::json("this is not an OpenAI tool definition", error))?;
    let function = tool.function;
    Ok(read_def(
        function.name,
        function.description,
        function.parameters,
    ))
}
