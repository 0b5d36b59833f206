//! Providers' wire formats, as pure text: no network, no clock.

mod anthropic;
mod openai;
mod raw;

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::schema::write_json_string;
use crate::{Encoder, SchemaDoc, ToolCall, ToolDef, ToolResult, Toolset};

/// A provider's format: how tools are declared, how calls come and how answers go.
///
/// ```
/// use toolwright_runtime::{ToolCall, Wire};
///
/// let response = r#"{"choices": [{"message": {"role": "assistant", "tool_calls": [
///     {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1}"}}
/// ]}}]}"#;
/// let calls = Wire::OpenAiChat.calls(response).unwrap();
/// assert_eq!(calls, [ToolCall::new("call_1", "add", r#"{"a": 1}"#)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// `OpenAI`'s Chat Completions, and the many endpoints that speak it.
    OpenAiChat,
    /// Anthropic's Messages.
    Anthropic,
}

impl Wire {
    /// The wire that a response was written in, as far as it shows.
    pub fn detect(response: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Marks<'a> {
            #[serde(borrow)]
            choices: Option<&'a RawValue>,
            #[serde(borrow)]
            content: Option<&'a RawValue>,
        }
        let marks: Marks<'_> = raw::object(response).ok()?;
        match (marks.choices, marks.content) {
            (Some(_), _) => Some(Self::OpenAiChat),
            (None, Some(_)) => Some(Self::Anthropic),
            (None, None) => None,
        }
    }

    /// The tools for a request: the text of its `tools` array. It is made once for a toolset, and
    /// lent from then on.
    pub fn definitions(self, tools: &Toolset) -> &str {
        tools.definitions_text(self, || {
            list(tools.definitions().map(|def| self.definition(def)))
        })
    }

    /// One tool of a request's `tools` array.
    pub fn definition(self, def: &ToolDef) -> String {
        match self {
            Self::OpenAiChat => openai::definition(def),
            Self::Anthropic => anthropic::definition(def),
        }
    }

    /// Reads one tool of a request's `tools` array back. What the form has no place for is not
    /// there afterwards.
    ///
    /// # Errors
    /// When the text is not of this form.
    pub fn parse_definition(self, definition: &str) -> Result<ToolDef, WireError> {
        match self {
            Self::OpenAiChat => openai::parse_definition(definition),
            Self::Anthropic => anthropic::parse_definition(definition),
        }
    }

    /// The calls of a response, in order; none if the model made none.
    ///
    /// Arguments stay text. Whatever is wrong with one call shows when it is answered: a call
    /// without a name is a call of an unknown tool, and arguments that are no JSON are refused with
    /// the place where they break. A call without an id gets `call_0`, `call_1` and so on, by its
    /// place; calls of equal ids stay as they are.
    ///
    /// # Errors
    /// When the response itself is no JSON or of another form.
    pub fn calls(self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        match self {
            Self::OpenAiChat => openai::calls(response),
            Self::Anthropic => anthropic::calls(response),
        }
    }

    /// The answers as messages for the next request: the text of an array, to be appended to
    /// `messages` behind the assistant's message.
    ///
    /// `encoder` writes what is text; blocks of content stay blocks where the provider has them.
    pub fn results(self, results: &[ToolResult], encoder: Encoder) -> String {
        match self {
            Self::OpenAiChat => list(openai::results(results, encoder)),
            Self::Anthropic => list(anthropic::results(results, encoder)),
        }
    }

    /// What the next request's `messages` gain by this response: the assistant's message and the
    /// answers to its calls. The text of an array.
    ///
    /// The message stays as it came, byte by byte, unless a call has no id: then the id that
    /// [`calls`](Self::calls) gave it is put in, so that the provider finds the call that is
    /// answered.
    ///
    /// # Errors
    /// When the response itself is no JSON or of another form.
    pub fn turn(
        self,
        response: &str,
        results: &[ToolResult],
        encoder: Encoder,
    ) -> Result<String, WireError> {
        let (message, answers) = match self {
            Self::OpenAiChat => (
                openai::assistant_message(response)?,
                openai::results(results, encoder),
            ),
            Self::Anthropic => (
                anthropic::assistant_message(response)?,
                anthropic::results(results, encoder),
            ),
        };
        Ok(list(std::iter::once(message).chain(answers)))
    }
}

/// A response or definition that is not of the provider's form.
#[derive(Debug)]
pub struct WireError {
    message: String,
    source: Option<serde_json::Error>,
}

impl WireError {
    fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    fn json(what: &str, source: serde_json::Error) -> Self {
        Self {
            message: format!("{what}: {source}"),
            source: Some(source),
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WireError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// The text of an array.
fn list(items: impl IntoIterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

/// An object, key by key in this order.
struct Object(String);

impl Object {
    fn new() -> Self {
        Self("{".into())
    }

    fn key(&mut self, key: &str) -> &mut String {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_json_string(&mut self.0, key);
        self.0.push(':');
        &mut self.0
    }

    /// A string.
    fn text(mut self, key: &str, text: &str) -> Self {
        write_json_string(self.key(key), text);
        self
    }

    /// JSON text.
    fn json(mut self, key: &str, json: &str) -> Self {
        self.key(key).push_str(json);
        self
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A definition, of which a provider's form has no more than this.
fn read_def(name: String, description: Option<String>, input: Option<SchemaDoc>) -> ToolDef {
    ToolDef {
        input: input.unwrap_or_else(SchemaDoc::empty_object),
        ..ToolDef::new(name, description.unwrap_or_default())
    }
}
