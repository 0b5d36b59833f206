//! Messages of a thread, as they are stored.

use std::fmt;

use serde::{Deserialize, Serialize};
use toolwright_provider::call::{Block, Bytes, Encoder, Outcome, Output, ToolCall, ToolResult};
use toolwright_provider::wire::{HostedCall, Wire};
use toolwright_runtime::executor::Question;
use toolwright_schema::text::ShortStr;

/// Message of a [`Thread`](crate::Thread).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ThreadMessage {
    /// Message of the user.
    User {
        /// Text of the message.
        text: String,
    },
    /// Text and calls of the model.
    Assistant(Assistant),
    /// Answer to a call of the assistant message before it.
    Tool(ToolMessage),
    /// Result of a call that stayed [open](ToolMessage::open). The answer of the call came before.
    Late(ToolMessage),
}

/// Message of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Assistant {
    /// Text of the message. Empty if the model only made calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Calls, in order. Their arguments are in the form of the tools' own schemas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Calls of tools that the provider ran itself, in order, with their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosted: Vec<HostedCall>,
    /// Message in the provider's own form, which the same provider gets back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
    /// Deferred tools that the provider's own search has loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loaded: Vec<ShortStr>,
    /// True if the text is the first open question of a tool, and not the model's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
}

/// Message in a provider's own form, with parts that only the provider understands, such as signatures of its
/// reasoning.
///
/// `Debug` shows how long the messages are: they hold the arguments of calls, and nothing here knows which are secret.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Native {
    /// Name of the wire: see [`wire_name`]. Behind it stands `+Native` or another word if deferred tools are loaded in the
    /// provider's own form.
    pub wire: String,
    /// Messages for the next request, as JSON texts.
    pub messages: Vec<String>,
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native")
            .field("wire", &self.wire)
            .field("messages", &Bytes::all(&self.messages))
            .finish()
    }
}

/// Answer to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolMessage {
    /// The call's place in its turn, from 0. Calls of one turn may have equal ids. `usize::MAX` in a message of
    /// [`ThreadMessage::tool`] that no thread has placed.
    #[serde(default = "unplaced", skip_serializing_if = "is_unplaced")]
    pub index: usize,
    /// The call's id.
    pub id: ShortStr,
    /// The tool's name.
    pub name: ShortStr,
    /// Text that the model reads.
    pub text: String,
    /// True if the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// True if the answer goes directly to the user.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_direct: bool,
    /// Blocks of the answer, unless it is only text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Question of the tool to a person. Until it is answered, `text` stands for the answer: see
    /// [`Thread::questions`](crate::Thread::questions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<Question>,
    /// Key of the open call, if the work goes on after this answer, or if this is its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// Arguments that a person edited, as JSON without secrets, if the text says so: see
    /// [`Agent::report_edits`](crate::Agent::report_edits). `null` if the tool is not known any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
}

impl ThreadMessage {
    /// Creates a message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// Creates a text of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(Assistant {
            text: text.into(),
            ..Assistant::default()
        })
    }

    /// Creates a message of the model that makes calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self::Assistant(Assistant {
            calls: calls.into_iter().collect(),
            ..Assistant::default()
        })
    }

    /// Creates the answer to the call with this id, for a thread that is written by hand. The result is what a tool
    /// may return: a string stays as it is, another value becomes JSON.
    ///
    /// The thread looks for the call when it gets the message: in the last message that makes calls, if only answers
    /// stand between. Of several calls with this id, the message answers the first one that has no answer. An answer to
    /// no call stays in the thread. [`Thread::check`](crate::Thread::check) reports it, and
    /// [`Thread::repair`](crate::Thread::repair) removes it.
    ///
    /// For a failure, or another encoder, see [`ToolMessage::of`].
    ///
    /// ```
    /// use toolwright::agent::{Thread, ThreadMessage};
    /// use toolwright::{ToolCall, Wire, tool};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// let thread = Thread::from([
    ///     ThreadMessage::user("What is 2 + 2?"),
    ///     ThreadMessage::calls([ToolCall::new("c1", "add", r#"{"a": 2, "b": 2}"#)]),
    ///     ThreadMessage::tool(add(2, 2), "c1"),
    /// ]);
    /// assert!(thread.check().is_ok());
    /// let body = thread.format(Wire::OpenAiChat, None).unwrap();
    /// assert!(body.contains(r#"{"role":"tool","tool_call_id":"c1","content":"4"}"#));
    /// ```
    pub fn tool(result: impl Output, id: impl Into<ShortStr>) -> Self {
        let call = ToolCall::new(id, "", "");
        let result = ToolResult::new(&call, Ok(result.into_outcome()));
        Self::Tool(ToolMessage::of(unplaced(), &result, Encoder::auto()))
    }

    /// Creates the result of the open call with this key.
    pub(crate) fn late(key: &str, result: &ToolResult, encoder: Encoder) -> Self {
        let mut message = ToolMessage::of(unplaced(), result, encoder);
        message.open = Some(key.to_owned());
        message.is_direct = false;
        Self::Late(message)
    }

    /// Returns the calls that the message makes. Only messages of the assistant make calls.
    pub fn tool_calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant(said) => &said.calls,
            Self::User { .. } | Self::Tool(_) | Self::Late(_) => &[],
        }
    }
}

impl ToolMessage {
    /// Creates the answer to the call at this place of its turn. The encoder writes its text.
    pub fn of(index: usize, result: &ToolResult, encoder: Encoder) -> Self {
        let blocks = match &result.outcome {
            Ok(Outcome::Content(content)) => content.blocks().to_vec(),
            _ => Vec::new(),
        };
        Self {
            index,
            id: result.id.clone(),
            name: result.name.clone(),
            text: result.content(encoder).into_owned(),
            is_error: !result.is_success(),
            is_direct: matches!(result.outcome, Ok(Outcome::ReturnDirect(_))),
            blocks,
            asks: match &result.outcome {
                Ok(Outcome::AskUser { question, options }) => Some(Question {
                    text: question.clone(),
                    options: options.clone(),
                }),
                _ => None,
            },
            open: match &result.outcome {
                Ok(Outcome::Open { key, .. }) => Some(key.clone()),
                _ => None,
            },
            edited: None,
        }
    }

    /// Says in the answer that a person edited the arguments. An answer in JSON stays JSON.
    pub(crate) fn say_edited(&mut self, edited: String, encoder: Encoder) {
        let words = match edited.as_str() {
            "null" => "A person changed the arguments of this call.".to_owned(),
            edited => {
                format!("A person changed the arguments of this call. It ran with: {edited}")
            }
        };
        let text = self.text.trim_end();
        self.text = match text.strip_suffix('}') {
            _ if !encoder.is_json() => format!("{}\n\n{words}", self.text),
            Some("{") => format!(r#"{{"edited_arguments":{edited}}}"#),
            Some(members) => format!(r#"{members},"edited_arguments":{edited}}}"#),
            None => format!(r#"{{"result":{text},"edited_arguments":{edited}}}"#),
        };
        if !self.blocks.is_empty() {
            self.blocks.push(Block::Text { text: words });
        }
        self.edited = Some(edited);
    }
}

/// Returns the index of an answer whose call is not looked up yet.
pub(crate) const fn unplaced() -> usize {
    usize::MAX
}

// serde hands a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_unplaced(index: &usize) -> bool {
    *index == unplaced()
}

/// Returns the name of a wire in stored messages.
pub fn wire_name(wire: Wire) -> String {
    format!("{wire:?}")
}
