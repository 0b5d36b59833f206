//! The outcomes of prompts and resources.

use std::borrow::Cow;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use toolwright_json::{ObjectWriter, list};
use toolwright_provider::call::{
    Block, Content, Encoder, ErrorKind, Outcome, Payload, ToolCall, ToolError, ToolResult,
};
use toolwright_provider::wire::Wire;

use super::dispatch::Answered;
use crate::protocol::{Fields, RpcError, array, code};

/// Messages of a prompt, in their order.
///
/// A prompt that returns a string is one message of the user.
///
/// ```
/// use toolwright::mcp::Messages;
/// use toolwright::prompt;
///
/// /// Reviews code.
/// #[prompt]
/// fn review(code: &str) -> Messages {
///     Messages::new()
///         .user(format!("Please review this code:\n{code}"))
///         .assistant("What should I look at first?")
/// }
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Messages(Vec<(&'static str, Content)>);

impl Messages {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds words of the user.
    pub fn user(self, text: impl Into<String>) -> Self {
        self.user_content(Content::text(text))
    }

    /// Adds words of the assistant.
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.assistant_content(Content::text(text))
    }

    /// Adds content of the user: a message for each block.
    pub fn user_content(mut self, content: Content) -> Self {
        self.0.push(("user", content));
        self
    }

    /// Adds content of the assistant: a message for each block.
    pub fn assistant_content(mut self, content: Content) -> Self {
        self.0.push(("assistant", content));
        self
    }

    fn to_json(&self) -> String {
        let messages = self.0.iter().flat_map(|(role, content)| {
            let result = Ok(Outcome::Content(content.clone()));
            messages(role, &ToolResult::new(&ToolCall::new("", "", ""), result))
        });
        list(messages)
    }
}

/// The key under which the messages of a prompt stand.
const MESSAGES: &str = "messages";

/// As the protocol has it: `{"messages": [{"role", "content"}]}`.
impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let messages = RawValue::from_string(self.to_json()).map_err(S::Error::custom)?;
        serializer.collect_map([(MESSAGES, messages)])
    }
}

/// A message for each block of a result.
fn messages(role: &str, result: &ToolResult) -> Vec<String> {
    let text = Wire::Mcp.results(std::slice::from_ref(result), Encoder::auto());
    let content = array(&text)
        .first()
        .and_then(|result| Fields::of(result).ok()?.json("content"))
        .map(array);
    let message = |block: &str| {
        ObjectWriter::new()
            .text("role", role)
            .json("content", block)
            .end()
    };
    content
        .unwrap_or_default()
        .into_iter()
        .map(message)
        .collect()
}

/// The result of `prompts/get`.
pub(super) fn prompt(start: ObjectWriter, description: &str, result: &ToolResult) -> Answered {
    let outcome = result
        .outcome
        .as_ref()
        .map_err(|error| refused(error, result, "prompt"))?;
    let said = outcome.payload().map(Payload::to_json);
    let own = said
        .as_deref()
        .and_then(|said| Fields::of(said).ok()?.json(MESSAGES));
    let messages = match own {
        Some(own) => Cow::from(own),
        None => list(messages("user", result)).into(),
    };
    let description = Some(description).filter(|words| !words.is_empty());
    let answer = start.maybe_text("description", description);
    Ok(answer.json("messages", &messages).end())
}

/// The result of `resources/read`. `kind` is the media type that the resource has, and `none` the error if there is no
/// such resource.
pub(super) fn resource(
    start: ObjectWriter,
    uri: &str,
    kind: Option<&str>,
    none: RpcError,
    result: &ToolResult,
) -> Answered {
    let outcome = match &result.outcome {
        Ok(outcome) => outcome,
        Err(error) if error.kind() == ErrorKind::Unknown => return Err(none),
        Err(error) => return Err(refused(error, result, "resource")),
    };
    let blocks = match outcome {
        Outcome::Content(content) => content.blocks().to_vec(),
        outcome => {
            let text = outcome.payload().map(Payload::to_plain).unwrap_or_default();
            let is_text = outcome
                .payload()
                .is_none_or(|one| one.to_json().starts_with('"'));
            let kind = kind.or((!is_text).then_some("application/json"));
            let contents = ObjectWriter::new()
                .text("uri", uri)
                .text("mimeType", kind.unwrap_or("text/plain"))
                .text("text", &text);
            return Ok(start.json("contents", &list([contents.end()])).end());
        }
    };
    let contents = blocks.iter().map(|block| {
        let object = |uri: &str, kind: Option<&str>| {
            ObjectWriter::new()
                .text("uri", uri)
                .maybe_text("mimeType", kind)
        };
        match block {
            Block::Image { mime_type, data } | Block::Audio { mime_type, data } => {
                object(uri, Some(mime_type)).text("blob", data)
            }
            Block::Document {
                uri,
                mime_type,
                text,
            } => object(uri, mime_type.as_deref()).text("text", text),
            Block::Json { value } => object(uri, Some(kind.unwrap_or("application/json")))
                .text("text", &value.to_string()),
            other => {
                let text = Content::from(vec![other.clone()]).to_plain();
                object(uri, Some(kind.unwrap_or("text/plain"))).text("text", &text)
            }
        }
        .end()
    });
    Ok(start.json("contents", &list(contents)).end())
}

/// The error of a prompt or a resource.
fn refused(error: &ToolError, result: &ToolResult, what: &str) -> RpcError {
    let words = result.content(Encoder::auto());
    match error.kind() {
        ErrorKind::Unknown | ErrorKind::Hidden => {
            let words = words.strip_prefix("unknown tool").unwrap_or(&words);
            RpcError::invalid_params(format!("unknown {what}{words}"))
        }
        ErrorKind::InvalidArgs => RpcError::invalid_params(words),
        _ => RpcError::new(code::INTERNAL_ERROR, words),
    }
}
