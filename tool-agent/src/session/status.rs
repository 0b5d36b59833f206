use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_runtime::ShortStr;

use crate::Node;

/// Status of a session: what it waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Nothing: an agent can run it.
    Idle,
    /// The answer of a person.
    AwaitingUser {
        /// The place in its turn of the call that asks.
        index: usize,
        /// Its id.
        id: ShortStr,
        /// The question.
        question: String,
        /// Further data for the front end.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        options: Map<String, Value>,
    },
    /// The answers of calls.
    AwaitingTools,
    /// The host's word: an interrupt of the agent stands here.
    Interrupted {
        /// The node that comes next, or that was visited.
        node: Node,
    },
    /// Nothing: the model has said its last word.
    Completed,
    /// A model failed. Nothing is taken until [`clear_error`](crate::Session::clear_error).
    Failed {
        /// Message of the error, for the host.
        message: String,
    },
}

impl Status {
    /// The status's name, as it is stored: `awaiting_user`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::AwaitingUser { .. } => "awaiting_user",
            Self::AwaitingTools => "awaiting_tools",
            Self::Interrupted { .. } => "interrupted",
            Self::Completed => "completed",
            Self::Failed { .. } => "failed",
        }
    }
}
