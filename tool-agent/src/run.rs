use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_runtime::__private::EndReason;
use toolwright_runtime::{HaltReason, Payload, ShortStr, ToolError};

use crate::{CheckpointError, ModelError, SessionError, ThreadError, Usage};

/// Node that an agent's run visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// The model is asked.
    Model,
    /// Calls are run.
    Tools,
    /// Nothing more happens.
    End,
}

impl Node {
    /// The node of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Model, Self::Tools, Self::End];
        all.into_iter().find(|node| node.as_str() == name)
    }

    /// The node's name: `model`.
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

/// Result of a run. The conversation itself is in the session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// Why it ended.
    pub end: RunEnd,
    /// The model's last words in it.
    pub text: Option<String>,
    /// Number of model calls.
    pub turns: u32,
    /// Number of tool rounds.
    pub rounds: u32,
    /// Usage of the run's model calls.
    pub usage: Usage,
}

/// Why a run ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RunEnd {
    /// The model said its last word.
    Completed,
    /// A tool asks a person: [`Session::reply`](crate::Session::reply) or
    /// [`Session::answer`](crate::Session::answer) goes on. It is the first of the
    /// [questions](crate::Session::questions) that are open.
    AskUser {
        /// The call's place in its turn, from 0.
        index: usize,
        /// The call's id.
        id: ShortStr,
        /// The question.
        question: String,
        /// Further data for the front end.
        options: Map<String, Value>,
    },
    /// A policy says that a call's failure ends the run. As with [`Halt`](Self::Halt), what is still open of the
    /// turn can be decided about, and the next run ends like this once more when nothing is.
    ToolError(ToolError),
    /// A tool ended the run. If calls of its turn are [pending](crate::Session::pending) or
    /// [ask](crate::Session::questions), the session waits for them. The run that settles the last of them ends like
    /// this once more, and the session is completed.
    Halt {
        /// The call's place in its turn, from 0.
        index: usize,
        /// The call's id.
        id: ShortStr,
        /// Why.
        reason: HaltReason,
        /// Value that the tool ended the run with.
        value: Payload,
    },
    /// Calls are pending: see [`Session::pending`](crate::Session::pending).
    Pending,
    /// Every call that succeeded goes to the user as it is: the last of these answers.
    ReturnDirect(String),
    /// An interrupt stands before or after this node.
    Interrupted {
        /// The node.
        node: Node,
        /// True if the node has been visited.
        after: bool,
    },
    /// The host's own condition.
    HaltWhen,
    /// The model was asked as often as it may be. Here and at the other limits, running the session again allows as
    /// much again.
    MaxTurns(u32),
    /// Tools ran as often as they may; the calls that came then are pending, and run when the session is run again.
    MaxToolRounds(u32),
    /// As many nodes were visited as may be.
    MaxSteps(u32),
    /// The host said stop.
    Cancelled,
    /// A model failed in a later turn; what was before it is kept.
    ModelError(ModelError),
}

impl RunEnd {
    /// Returns true if a limit of the agent ended the run. Running the session again allows as much again.
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::MaxTurns(_) | Self::MaxToolRounds(_) | Self::MaxSteps(_)
        )
    }

    /// The reason's name, as it is shown: `max_turns`; of a [`Halt`](Self::Halt) its own.
    pub fn as_str(&self) -> &str {
        let reason = match self {
            Self::Completed => EndReason::Completed,
            Self::AskUser { .. } => EndReason::AskUser,
            Self::ToolError(_) => EndReason::ToolError,
            Self::Halt { reason, .. } => return reason.as_str(),
            Self::Pending => EndReason::Pending,
            Self::ReturnDirect(_) => EndReason::ReturnDirect,
            Self::Interrupted { .. } => EndReason::Interrupted,
            Self::HaltWhen => EndReason::HaltWhen,
            Self::MaxTurns(_) => EndReason::MaxTurns,
            Self::MaxToolRounds(_) => EndReason::MaxToolRounds,
            Self::MaxSteps(_) => EndReason::MaxSteps,
            Self::Cancelled => EndReason::Cancelled,
            Self::ModelError(_) => EndReason::Error,
        };
        reason.as_str()
    }
}

impl Run {
    /// The model's last words, or the answer that went to the user as it is.
    pub fn text(&self) -> Option<&str> {
        match &self.end {
            RunEnd::ReturnDirect(text) => Some(text),
            _ => self.text.as_deref(),
        }
    }

    /// Returns the run, if no limit and no failure ended it.
    ///
    /// # Errors
    /// When one did.
    pub fn strict(self) -> Result<Self, AgentError> {
        match self.end {
            RunEnd::MaxTurns(most) => Err(AgentError::Limit("model calls", most)),
            RunEnd::MaxToolRounds(most) => Err(AgentError::Limit("rounds of tools", most)),
            RunEnd::MaxSteps(most) => Err(AgentError::Limit("steps", most)),
            RunEnd::ToolError(error) => Err(AgentError::Tool(error)),
            RunEnd::ModelError(error) => Err(AgentError::Model(error)),
            _ => Ok(self),
        }
    }
}

/// Why an agent did not run, or its run is no result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AgentError {
    /// The session does not stand where an agent can run it.
    Session(SessionError),
    /// No provider would take the thread.
    Thread(ThreadError),
    /// The model failed at the first request.
    Model(ModelError),
    /// A call failed, where the policy says that this ends the run.
    Tool(ToolError),
    /// The run came to a limit: what it counts, and how many there may be.
    Limit(&'static str, u32),
    /// The host said stop.
    Cancelled,
    /// The model's final answer is not of the form that was asked for.
    Answer(ToolError),
    /// The tool that the model is to call is not there.
    ToolChoice(String),
    /// A decision cannot be carried out; the call waits on.
    Decision {
        /// The call's place in its turn, from 0.
        index: usize,
        /// Why.
        error: ToolError,
    },
    /// The session could not be kept, or not be found.
    Checkpoint(CheckpointError),
    /// The conversation was handed over to an agent that this one does not know.
    UnknownAgent(String),
    /// There is nothing to go on from: the thread is empty.
    EmptyThread,
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(error) => error.fmt(f),
            Self::Thread(error) => error.fmt(f),
            Self::Model(error) => error.fmt(f),
            Self::Tool(error) => error.fmt(f),
            Self::Limit(what, most) => write!(f, "the run came to its limit of {most} {what}"),
            Self::Cancelled => f.write_str("the host said stop"),
            Self::Answer(error) => {
                write!(
                    f,
                    "the answer is not of the form that was asked for: {error}"
                )
            }
            Self::ToolChoice(message) => f.write_str(message),
            Self::Decision { index, error } => {
                write!(
                    f,
                    "the decision on call {index} cannot be carried out: {error}"
                )
            }
            Self::Checkpoint(error) => error.fmt(f),
            Self::UnknownAgent(name) => {
                write!(
                    f,
                    "the conversation is with the agent `{name}`, which is not known here"
                )
            }
            Self::EmptyThread => f.write_str("the thread is empty"),
        }
    }
}

impl std::error::Error for AgentError {}

impl From<SessionError> for AgentError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<CheckpointError> for AgentError {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}

impl From<ThreadError> for AgentError {
    fn from(error: ThreadError) -> Self {
        Self::Thread(error)
    }
}
