//! Gemini's `generateContent`.
//!
//! Source: the types `FunctionDeclaration`, `FunctionCall`, `FunctionResponse` and
//! `FunctionCallingConfig` of the Gemini API reference (v1beta) and of python-genai 3.4, 2026-11.

mod stream;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::completion::{Said, Stop};
use super::declared::Declared;
use super::raw::{
    Entries, RawCall, as_object, elements, has_key, ids, member, mended, object, usage, with,
    with_id, words,
};
use super::stream::Assemble;
use super::write::{Object, list, quoted};
use super::{Format, Parallel, ToolChoice, WireError, read_def};
use crate::schema::render::SchemaDoc;
use crate::text::ShortStr;
use crate::tool::{Block, Content, Encoder, Outcome, ToolCall, ToolDef, ToolResult};

pub(super) struct Gemini;

impl Format for Gemini {
    /// `parametersJsonSchema` takes JSON Schema as it is, where `parameters` takes a dialect. A tool
    /// without arguments has neither: an object without properties is refused.
    fn definition(&self, tool: &Declared<'_>) -> String {
        let def = tool.def;
        let declaration = tool
            .open()
            .text("name", tool.name)
            .text("description", &def.description);
        if !tool.has_schema() || def.input == SchemaDoc::empty_object() {
            return declaration.end();
        }
        let key = if tool.openapi {
            "parameters"
        } else {
            "parametersJsonSchema"
        };
        declaration.schema(key, tool).end()
    }

    /// One tool that holds all functions.
    fn definitions(&self, declarations: String) -> String {
        let tool = Object::new().json("functionDeclarations", &declarations);
        list([tool.end()])
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Declaration {
            name: String,
            description: Option<String>,
            parameters_json_schema: Option<SchemaDoc>,
            parameters: Option<SchemaDoc>,
        }
        let declaration: Declaration = object(text)
            .map_err(|error| WireError::json("this is no Gemini function declaration", error))?;
        if declaration.parameters.is_some() {
            // `"type": "OBJECT"` is no JSON Schema.
            return Err(WireError::new(
                "the Gemini function declaration has `parameters`, in a dialect of its own; \
                 `parametersJsonSchema` can be read",
            ));
        }
        Ok(read_def(
            declaration.name,
            declaration.description,
            declaration.parameters_json_schema,
        ))
    }

    fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let parts = parts(content(response)?)?;
        Ok(RawCall::read(parts.into_iter().filter_map(raw_call)))
    }

    /// The model's content with all its parts, whatever they are: thought signatures must come back
    /// where they stood.
    fn echo(&self, response: &str) -> Result<Vec<String>, WireError> {
        let Some(content) = content(response)? else {
            return Ok(Vec::new());
        };
        let parts = parts(Some(content))?;
        let calls: Vec<_> = parts.iter().filter_map(|part| raw_call(part)).collect();
        let ids = ids(&calls);
        let good = |(call, id): (&RawCall<'_>, &ShortStr)| call.is_under(id) && !is_to_mend(call);
        let Entries(entries) = object(content.get()).map_err(no_content)?;
        if calls.iter().zip(&ids).all(good) && entries.iter().any(|(key, _)| key == "role") {
            return Ok(vec![content.get().to_owned()]);
        }
        let mut ids = ids.into_iter();
        let named = list(parts.iter().map(|part| {
            match raw_call(part).and_then(|call| Some((call, ids.next()?))) {
                Some((call, id)) => named(part, &call, &id),
                None => part.get().to_owned(),
            }
        }));
        let with_parts = with(content.get(), "parts", &named);
        Ok(vec![with(&with_parts, "role", &quoted("model"))])
    }

    fn said(&self, response: &str) -> Result<Said, WireError> {
        let parts = parts(content(response)?)?;
        let is_said = |part: &&&RawValue| {
            let thought = member(part.get(), "thought");
            thought.is_none_or(|thought| thought.get() != "true")
        };
        let text = parts.iter().filter(is_said);
        let text = text.map(|part| words(member(part.get(), "text"))).collect();
        let candidates = elements(member(response, "candidates"));
        let candidate = candidates.first().map_or("", |candidate| candidate.get());
        let stop = Stop::of(
            &words(member(candidate, "finishReason")),
            &["STOP"],
            &["MAX_TOKENS"],
            &REFUSED,
        );
        let counts = member(response, "usageMetadata");
        let usage = usage(
            counts,
            &["promptTokenCount", "toolUsePromptTokenCount"],
            &["candidatesTokenCount", "thoughtsTokenCount"],
        );
        Ok(Said { text, stop, usage })
    }

    fn user(&self, text: &str) -> Option<String> {
        Some(content_of("user", [text_part(text)]))
    }

    fn assistant(&self, text: &str, calls: &[ToolCall]) -> Vec<String> {
        let words = (!text.is_empty()).then(|| text_part(text));
        let calls = calls.iter().map(|call| {
            let call = Object::new()
                .text("id", &call.id)
                .text("name", &call.name)
                .json("args", &as_object(&call.arguments));
            Object::new().json("functionCall", &call.end()).end()
        });
        vec![content_of("model", words.into_iter().chain(calls))]
    }

    /// Roles need not alternate. A content without parts is refused.
    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let body = Object::new();
        let body = match system {
            Some(system) => {
                let parts = list([text_part(system)]);
                body.json(
                    "systemInstruction",
                    &Object::new().json("parts", &parts).end(),
                )
            }
            None => body,
        };
        let has_parts = |content: &String| !elements(member(content, "parts")).is_empty();
        let contents = list(messages.into_iter().filter(has_parts));
        Some(body.json("contents", &contents).end())
    }

    /// One content for all answers. The answer's value stands under `output` or `error`, which the
    /// API reserves for them; pictures and documents are parts beside it.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        if results.is_empty() {
            return Vec::new();
        }
        let parts = results.iter().map(|result| {
            let key = if result.is_success() {
                "output"
            } else {
                "error"
            };
            let (value, parts) = match &result.outcome {
                Ok(Outcome::Content(content)) => split(content),
                _ => (encoder.encode_json(result).into_owned(), Vec::new()),
            };
            let response = Object::new()
                .text("id", &result.id)
                .text("name", &result.name)
                .json("response", &Object::new().json(key, &value).end());
            let response = if parts.is_empty() {
                response
            } else {
                response.json("parts", &list(parts))
            };
            Object::new()
                .json("functionResponse", &response.end())
                .end()
        });
        vec![content_of("user", parts)]
    }

    fn tool_choice(&self, choice: &ToolChoice, parallel: Parallel) -> Option<String> {
        // Nothing keeps the model from several calls but the word for none.
        if parallel == Parallel::Forbidden && *choice != ToolChoice::None {
            return None;
        }
        let config = match choice {
            ToolChoice::Auto => Object::new().text("mode", "AUTO"),
            ToolChoice::Required => Object::new().text("mode", "ANY"),
            ToolChoice::None => Object::new().text("mode", "NONE"),
            ToolChoice::Specific(name) => Object::new()
                .text("mode", "ANY")
                .json("allowedFunctionNames", &list([quoted(name)])),
        };
        Some(
            Object::new()
                .json("functionCallingConfig", &config.end())
                .end(),
        )
    }

    fn request(&self, definitions: &str, choice: Option<&str>, _: Parallel) -> String {
        let body = Object::new().json("tools", definitions);
        match choice {
            Some(choice) => body.json("toolConfig", choice).end(),
            None => body.end(),
        }
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Stream::default())
    }
}

/// Why an answer was not given, or not all of it.
const REFUSED: [&str; 7] = [
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
];

fn content_of(role: &str, parts: impl IntoIterator<Item = String>) -> String {
    Object::new()
        .text("role", role)
        .json("parts", &list(parts))
        .end()
}

fn text_part(text: &str) -> String {
    Object::new().text("text", text).end()
}

#[derive(Deserialize)]
struct Response<'a> {
    /// Of a prompt that was blocked there are none.
    #[serde(borrow, default)]
    candidates: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Candidate<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow, default)]
    parts: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "functionCall", borrow)]
    function_call: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
}

fn no_content(error: serde_json::Error) -> WireError {
    WireError::json("this is no Gemini content", error)
}

fn no_candidate(response: &str) -> WireError {
    let feedback = member(response, "promptFeedback").map_or("", |feedback| feedback.get());
    let reason = words(member(feedback, "blockReason"));
    if reason.is_empty() {
        return WireError::new("the Gemini response has no candidate");
    }
    let reason = reason.escape_debug();
    WireError::new(format!("Gemini blocked the prompt: {reason}"))
}

/// The first candidate's content: a request with tools asks for one candidate. One that was stopped
/// (`finishReason` tells why) has none.
fn content(response: &str) -> Result<Option<&RawValue>, WireError> {
    let wrong = |error| WireError::json("this is no Gemini response", error);
    let parsed: Response<'_> = object(response).map_err(wrong)?;
    let Some(first) = parsed.candidates.first() else {
        return Err(no_candidate(response));
    };
    let candidate: Candidate<'_> = object(first.get()).map_err(wrong)?;
    Ok(candidate.content)
}

fn parts(content: Option<&RawValue>) -> Result<Vec<&RawValue>, WireError> {
    let Some(content) = content else {
        return Ok(Vec::new());
    };
    let content: Parts<'_> = object(content.get()).map_err(no_content)?;
    Ok(content.parts.unwrap_or_default())
}

fn raw_call(part: &RawValue) -> Option<RawCall<'_>> {
    let Ok(readable) = object::<Part<'_>>(part.get()) else {
        return has_key(part, "functionCall").then(RawCall::default);
    };
    let call = object(readable.function_call?.get());
    let Ok(FunctionCall { id, name, args }) = call else {
        return Some(RawCall::default());
    };
    Some(RawCall {
        id,
        name,
        arguments: args,
    })
}

/// Whether the API would refuse the arguments. None at all are no fault: it leaves them out itself.
fn is_to_mend(call: &RawCall<'_>) -> bool {
    call.arguments.is_some() && mended(call.arguments).is_some()
}

fn named(part: &RawValue, call: &RawCall<'_>, id: &str) -> String {
    let Ok(Part {
        function_call: Some(function_call),
    }) = object(part.get())
    else {
        // It stands there twice, and cannot be read: what is left is a call that can be answered.
        let call = Object::new().text("id", id).text("name", "").end();
        return with(part.get(), "functionCall", &call);
    };
    let function_call = with_id(function_call, call, id);
    let function_call = match mended(call.arguments) {
        Some(args) if is_to_mend(call) => with(&function_call, "args", &args),
        _ => function_call,
    };
    with(part.get(), "functionCall", &function_call)
}

/// The text of the blocks, and the parts of those that have one: pictures and PDFs.
fn split(content: &Content) -> (String, Vec<String>) {
    let mut words = Vec::new();
    let mut parts = Vec::new();
    for block in content.blocks() {
        match block {
            Block::Image { mime_type, data } => {
                let blob = Object::new()
                    .text("mimeType", mime_type)
                    .text("data", data)
                    .end();
                parts.push(Object::new().json("inlineData", &blob).end());
            }
            other => words.push(other.clone()),
        }
    }
    // One block of data stays a value.
    let value = match words.as_slice() {
        [Block::Json { value }] => value.to_string(),
        _ => quoted(&Content::from(words).to_plain()),
    };
    (value, parts)
}

/// The parts that a piece of a stream adds.
fn parts_of(content: &RawValue) -> Vec<&RawValue> {
    #[derive(Deserialize)]
    struct Content<'a> {
        #[serde(borrow, default)]
        parts: Option<&'a RawValue>,
    }
    object::<Content<'_>>(content.get()).map_or_else(|_| Vec::new(), |piece| elements(piece.parts))
}
