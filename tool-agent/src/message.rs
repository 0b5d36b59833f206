use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_runtime::{Block, Encoder, Outcome, ShortStr, ToolCall, ToolResult, Wire};

/// One message of a [`Thread`](crate::Thread).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// A person's words.
    User {
        /// The words.
        text: String,
    },
    /// The model's words and calls.
    Assistant(Assistant),
    /// The answer to a call of the assistant's message before.
    Tool(ToolMessage),
}

/// Message of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Assistant {
    /// Its words; empty if it only called tools.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Its calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The message as the provider wrote it, which is what the same provider gets back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
    /// The tools were declared in forms that the model may have called them in, and that are not
    /// their own: [`Context::with_lowered`](toolwright_runtime::Context::with_lowered) reads its calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lowered: bool,
    /// The words are a tool's question to the user, not the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<Asks>,
}

/// A message in a provider's own form: with all that only the provider understands, such as the
/// signatures of its reasoning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Native {
    /// The wire's name: [`wire_name`].
    pub wire: String,
    /// The messages that stand for it in the next request: JSON texts.
    pub messages: Vec<String>,
}

/// The mark of a question that a tool asks a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asks {
    /// The id of the call that asks.
    pub id: ShortStr,
    /// Its place in its turn, from 0.
    pub index: usize,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolMessage {
    /// The call's place in its turn, from 0: calls of one turn may have equal ids.
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
    /// The answer's blocks, where it has more than words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// The question that the tool asks a person. The text stands for the answer until it is there: see
    /// [`Thread::questions`](crate::Thread::questions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<Question>,
}

/// A tool's question to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The question.
    pub text: String,
    /// Further data for the front end.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
}

impl Message {
    /// A person's words.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// The model's words.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(Assistant {
            text: text.into(),
            ..Assistant::default()
        })
    }

    /// The model's calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self::Assistant(Assistant {
            calls: calls.into_iter().collect(),
            ..Assistant::default()
        })
    }

    /// The calls that the message makes; none if it is no assistant's.
    pub fn tool_calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant(said) => &said.calls,
            Self::User { .. } | Self::Tool(_) => &[],
        }
    }
}

impl ToolMessage {
    /// The answer to the call at this place of its turn, in the words of `encoder`.
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
        }
    }
}

/// The name of a wire in stored messages.
pub fn wire_name(wire: Wire) -> String {
    format!("{wire:?}")
}
