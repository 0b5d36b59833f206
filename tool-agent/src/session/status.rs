//! Status of a session, and the node that comes next.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_schema::text::ShortStr;

/// Status of a session: what it waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// An agent can run the session.
    Idle,
    /// A tool waits for an answer of the user.
    AwaitingUser {
        /// Place of the asking call in its turn, from 0.
        index: usize,
        /// Id of the asking call.
        id: ShortStr,
        /// The question.
        question: String,
        /// Further data for the front end.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        options: Map<String, Value>,
    },
    /// Calls wait for a decision or a result.
    AwaitingTools,
    /// An interrupt of the agent stopped the run. Running the session continues.
    Interrupted {
        /// Node that comes next, or that was visited.
        node: Node,
    },
    /// The model has answered. A new message starts the next run.
    Completed,
    /// A model failed. The session accepts no input until [`clear_error`](crate::Session::clear_error).
    Failed {
        /// Message of the error, for the host.
        message: String,
    },
}

impl Status {
    /// Returns the stored name of the status: `awaiting_user`.
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

/// Node of an agent's loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// Sends a request to the model.
    Model,
    /// Runs calls.
    Tools,
    /// Ends the run.
    End,
}

impl Node {
    /// Returns the node with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Model, Self::Tools, Self::End];
        all.into_iter().find(|node| node.as_str() == name)
    }

    /// Returns the node's name: `model`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tools => "tools",
            Self::End => "end",
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
