//! What becomes of a conversation: inputs of people, and the state that they see.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::Context;
use toolwright::agent::session::{CallRef, SessionError};
use toolwright::agent::{Agent, AgentError, Run, RunEnd, Session, Status};
use toolwright::call::Decision;
use toolwright::executor::Waiting;

/// An input of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// A message of the user.
    Say(String),
    /// A decision about a pending call.
    Decide {
        /// The call.
        call: CallRef<'static>,
        /// The decision.
        decision: Decision,
    },
    /// The answer to a question of a call.
    Answer {
        /// The call that asks.
        call: CallRef<'static>,
        /// The answer.
        answer: Value,
    },
    /// The conversation goes on where it stopped: after a limit, an interrupt, a cancellation, or a failure of the model.
    Resume,
}

impl Input {
    /// Applies the input to a session.
    pub(crate) fn apply(&self, session: &mut Session) -> Result<(), SessionError> {
        match self {
            Self::Say(text) => {
                session.clear_error();
                match session.say(text.as_str()) {
                    // Calls are open. The message is read after their turn.
                    Err(SessionError::WrongStatus { .. }) => {
                        session.queue().push(text.as_str());
                        Ok(())
                    }
                    done => done,
                }
            }
            Self::Decide { call, decision } => session.decide(call.clone(), decision.clone()),
            Self::Answer { call, answer } => session.answer_call(call.clone(), answer),
            Self::Resume => {
                session.clear_error();
                Ok(())
            }
        }
    }
}

/// State of a conversation, as its last run left it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConversationState {
    /// What the session waits for. `None` if there is no session yet.
    pub status: Option<Status>,
    /// Reason why the last run ended: `completed`, `pending`, `ask_user`, `max_turns`; see
    /// [`RunEnd::as_str`](toolwright::agent::RunEnd::as_str). `None` if no run has ended with this input.
    pub end: Option<String>,
    /// Last text of the model, or the answer that goes directly to the user.
    pub text: Option<String>,
    /// All that the conversation waits for, with the calls of agents in calls: see
    /// [`Agent::waiting`](toolwright::agent::Agent::waiting).
    #[serde(default)]
    pub waiting: Vec<Waiting>,
    /// Failure of the run, if it failed.
    #[serde(default)]
    pub error: Option<ConversationError>,
    /// Inputs that the session did not take, with the reasons.
    #[serde(default)]
    pub refused: Vec<RefusedInput>,
}

/// An input that the session did not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedInput {
    /// Number of the input in its conversation, from 1.
    pub input: u64,
    /// The reason.
    pub message: String,
}

/// Failure of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConversationError {
    /// The kind of failure.
    pub kind: ConversationErrorKind,
    /// Message for the host.
    pub message: String,
}

/// The ways in which a run can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConversationErrorKind {
    /// The session is not in a state that can run, or its thread is none that a provider accepts.
    Session,
    /// The model failed.
    Model,
    /// A call failed, and a policy ends the run.
    Tool,
    /// A limit or a budget ended the run.
    Limit,
    /// A decision could not be carried out. The call is still pending.
    Decision,
    /// The stored session cannot be read.
    Checkpoint,
    /// The run was cancelled before it had a result.
    Cancelled,
    /// The run had no result for another reason.
    Other,
}

impl ConversationErrorKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Limit => "limit",
            Self::Decision => "decision",
            Self::Checkpoint => "checkpoint",
            Self::Cancelled => "cancelled",
            Self::Other => "_OTHER",
        }
    }
}

impl fmt::Display for ConversationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConversationError {}

impl ConversationError {
    pub(crate) fn new(kind: ConversationErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }

    pub(crate) fn of(error: &AgentError) -> Self {
        let kind = match error {
            AgentError::Session(_) | AgentError::Thread(_) | AgentError::EmptyThread => {
                ConversationErrorKind::Session
            }
            AgentError::Model(_) => ConversationErrorKind::Model,
            AgentError::Tool(_) => ConversationErrorKind::Tool,
            AgentError::Limit(..) | AgentError::Budget { .. } => ConversationErrorKind::Limit,
            AgentError::Decision { .. } => ConversationErrorKind::Decision,
            AgentError::Checkpoint(_) => ConversationErrorKind::Checkpoint,
            AgentError::Cancelled => ConversationErrorKind::Cancelled,
            _ => ConversationErrorKind::Other,
        };
        Self::new(kind, error.to_string())
    }
}

/// How a run ended, as it is stored with the session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredEnd {
    end: Option<String>,
    text: Option<String>,
    error: Option<ConversationError>,
}

impl StoredEnd {
    pub(crate) fn of(run: &Run) -> Self {
        let error = match &run.end {
            RunEnd::ModelError(error) => {
                let kind = ConversationErrorKind::Model;
                Some(ConversationError::new(kind, error.to_string()))
            }
            RunEnd::ToolError(error) => {
                let kind = ConversationErrorKind::Tool;
                Some(ConversationError::new(kind, error.to_string()))
            }
            _ => None,
        };
        Self {
            end: Some(run.end.as_str().to_owned()),
            text: run.text().or(run.text.as_deref()).map(str::to_owned),
            error,
        }
    }

    pub(crate) fn of_error(error: &AgentError) -> Self {
        Self {
            error: Some(ConversationError::of(error)),
            ..Self::default()
        }
    }
}

impl ConversationState {
    /// Returns the state of a conversation without a session.
    pub(crate) fn empty() -> Self {
        Self {
            status: None,
            end: None,
            text: None,
            waiting: Vec::new(),
            error: None,
            refused: Vec::new(),
        }
    }

    pub(crate) fn failed(error: ConversationError) -> Self {
        Self {
            error: Some(error),
            ..Self::empty()
        }
    }

    pub(crate) fn of(
        agent: &Agent,
        session: &Session,
        end: StoredEnd,
        refused: Vec<RefusedInput>,
    ) -> Self {
        Self {
            status: Some(session.status().clone()),
            end: end.end,
            text: end.text.or_else(|| session.result().map(str::to_owned)),
            waiting: agent.waiting(session, &Context::new()),
            error: end.error,
            refused,
        }
    }
}
