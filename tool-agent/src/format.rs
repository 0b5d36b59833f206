//! A thread as the messages of a provider's request.

use std::error::Error;
use std::fmt;

use serde_json::value::RawValue;
use toolwright_runtime::{
    Content, Definitions, Encoder, Outcome, ToolCall, ToolError, ToolResult, Utterance, Wire,
    WireError,
};

use crate::{Message, Thread, ThreadError, ToolMessage, wire_name};

/// Why a thread is no request.
#[derive(Debug)]
#[non_exhaustive]
pub enum FormatError {
    /// No provider would take it.
    Thread(ThreadError),
    /// The wire has no conversations.
    Wire(WireError),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(error) => error.fmt(f),
            Self::Wire(error) => error.fmt(f),
        }
    }
}

impl Error for FormatError {}

impl Thread {
    /// The conversation as members of a request's body, on any wire: see [`Wire::conversation`].
    /// What a model of the same wire said goes back as its provider wrote it.
    ///
    /// ```
    /// use toolwright::agent::{Message, Thread};
    /// use toolwright::Wire;
    ///
    /// let thread = Thread::from([Message::user("Hi!")]);
    /// assert_eq!(
    ///     thread.format(Wire::OpenAiChat, Some("Be brief.")).unwrap(),
    ///     r#"{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi!"}]}"#
    /// );
    /// ```
    ///
    /// # Errors
    /// When [`check`](Self::check) finds something, and on MCP.
    pub fn format(&self, wire: Wire, system: Option<&str>) -> Result<String, FormatError> {
        self.with_utterances(wire, |said| {
            wire.conversation(system, said, Encoder::auto())
        })
    }

    /// The same beside these tools: calls and answers go by the names that the provider is told.
    ///
    /// # Errors
    /// As [`format`](Self::format).
    pub fn format_with(
        &self,
        sent: &Definitions,
        system: Option<&str>,
    ) -> Result<String, FormatError> {
        self.with_utterances(sent.wire(), |said| {
            sent.conversation(system, said, Encoder::auto())
        })
    }

    fn with_utterances(
        &self,
        wire: Wire,
        write: impl FnOnce(&[Utterance<'_>]) -> Result<String, WireError>,
    ) -> Result<String, FormatError> {
        self.check().map_err(FormatError::Thread)?;
        let wire = wire_name(wire);
        let mut said: Vec<Said<'_>> = Vec::new();
        for message in self.messages() {
            match (message, said.last_mut()) {
                (Message::Tool(answer), Some(Said::Answers(results))) => {
                    results.push(result(answer));
                }
                (Message::Tool(answer), _) => said.push(Said::Answers(vec![result(answer)])),
                (Message::User { text }, _) => said.push(Said::Other(Utterance::User(text))),
                (Message::Assistant(assistant), _) => {
                    let native = assistant.native.as_ref();
                    let same = native.filter(|native| native.wire == wire);
                    said.push(Said::Other(match same {
                        Some(native) => Utterance::Echo(&native.messages),
                        None => Utterance::Assistant {
                            text: &assistant.text,
                            calls: &assistant.calls,
                        },
                    }));
                }
            }
        }
        let said: Vec<_> = said.iter().map(Said::lend).collect();
        write(&said).map_err(FormatError::Wire)
    }
}

enum Said<'t> {
    Other(Utterance<'t>),
    /// All answers of a turn.
    Answers(Vec<ToolResult>),
}

impl Said<'_> {
    fn lend(&self) -> Utterance<'_> {
        match self {
            Self::Other(said) => *said,
            Self::Answers(results) => Utterance::Results(results),
        }
    }
}

/// The result that was answered with, as far as a provider is told of it.
fn result(answer: &ToolMessage) -> ToolResult {
    let call = ToolCall::new(&*answer.id, &*answer.name, "");
    let outcome = if answer.is_error {
        Err(ToolError::failed(answer.text.clone()))
    } else if !answer.blocks.is_empty() {
        Ok(Outcome::Content(Content::from(answer.blocks.clone())))
    } else if let Some(value) = data(&answer.text) {
        Ok(Outcome::value(value))
    } else {
        Ok(Outcome::value(&answer.text))
    };
    ToolResult::new(&call, outcome)
}

/// An object or array, for providers that take a value: elsewhere its text is the same.
fn data(text: &str) -> Option<&RawValue> {
    let is_data = text.starts_with(['{', '[']);
    let value: &RawValue = serde_json::from_str(text).ok().filter(|_| is_data)?;
    (value.get() == text).then_some(value)
}
