//! Status of a session, and the node that comes next.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_provider::call::EndReason;
use toolwright_schema::text::ShortStr;

use super::Session;
use crate::run::{AgentError, RunEnd};

/// How the last run of a session ended, as it is stored with the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredEnd {
    /// Name of the reason: that of the [`RunEnd`](RunEnd::as_str), or of the [`AgentError`](AgentError::as_str).
    pub reason: String,
    /// Message of the failure, for the host, if one ended the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Node that comes next, or that was visited, if the run was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Node>,
}

impl StoredEnd {
    /// Returns the end of a run.
    pub fn of(end: &RunEnd) -> Self {
        let message = match end {
            RunEnd::ModelError(error) => Some(error.to_string()),
            RunEnd::ToolError(error) => Some(error.to_string()),
            _ => None,
        };
        let place = match end {
            RunEnd::Interrupted { node, .. } => Some(*node),
            _ => None,
        };
        let reason = end.as_str().to_owned();
        Self {
            reason,
            message,
            place,
        }
    }

    /// Returns the end of a run that has no result.
    pub fn of_error(error: &AgentError) -> Self {
        Self::failure(error.as_str(), error.to_string())
    }

    /// Makes the end of a run that failed for a reason of the host's.
    pub fn failure(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            message: Some(message.into()),
            place: None,
        }
    }

    /// Returns the end of a session that takes no input and does not go on.
    pub(crate) fn failed(message: &str) -> Self {
        Self::failure(EndReason::Error.as_str(), message)
    }

    /// Returns the end of a run that an interrupt stopped here.
    pub(crate) fn interrupted(node: Node) -> Self {
        Self::of(&RunEnd::Interrupted { node, after: false })
    }
}

impl Session {
    /// Returns how the last run ended. `None` if no run has ended since the session took an input.
    pub fn end(&self) -> Option<&StoredEnd> {
        self.end.as_ref()
    }

    /// Returns the status: what the session waits for.
    pub fn status(&self) -> Status {
        let Some(end) = &self.end else {
            return self.awaited().unwrap_or(Status::Idle);
        };
        if end.reason == EndReason::Error.as_str() {
            let message = end.message.clone().unwrap_or_default();
            return Status::Failed { message };
        }
        self.awaited().unwrap_or(match end.place {
            Some(node) => Status::Interrupted { node },
            None if self.at.node == Node::End => Status::Completed,
            None => Status::Idle,
        })
    }

    pub(crate) fn is_failed(&self) -> bool {
        let end = self.end.as_ref();
        end.is_some_and(|end| end.reason == EndReason::Error.as_str())
    }
}

/// Status of a session: what it waits for. It follows from the [end](Session::end) of the last run, and from the calls that
/// wait.
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
