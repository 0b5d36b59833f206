//! Result of a run: the reason for its end, its counts, and the error type of agents.

use std::fmt;

use serde_json::{Map, Value};
use toolwright_provider::call::{EndReason, ErrorKind, HaltReason, Payload, ToolError};
use toolwright_provider::wire::{FinishReason, Usage};
use toolwright_schema::text::{Printable, ShortStr};

use crate::budget::Left;
use crate::model::ModelError;
use crate::session::{Node, SessionError};
use crate::store::CheckpointError;
use crate::thread::ThreadError;

/// Result of a run. The conversation itself is in the session. [`completed`](Self::completed) is an error unless the run
/// came to its end.
#[must_use = "a run may wait, or have reached a limit: `completed` says so"]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// Reason why the run ended.
    pub end: RunEnd,
    /// Last text of the model in this run, however the run ended.
    pub text: Option<String>,
    /// Number of model calls.
    pub turns: u32,
    /// Number of tool rounds.
    pub rounds: u32,
    /// Usage of the run's model calls.
    pub usage: Usage,
    /// What is left of the agent's [budget](crate::Agent::budget) for the session. `None` without a budget.
    pub left: Option<Left>,
}

/// Reason why a run ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RunEnd {
    /// The model answered without calls.
    Completed,
    /// A tool asks a person. Continue with [`Session::say`](crate::Session::say) or
    /// [`Session::answer`](crate::Session::answer). This is the first of the open
    /// [questions](crate::Session::questions).
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
    /// A policy ends the run because a call failed. Open calls and questions of the turn can still be settled, as with
    /// [`Halt`](Self::Halt). The run that settles the last of them ends for the same reason.
    ToolError(ToolError),
    /// A tool ended the run. If calls of its turn are [pending](crate::Session::pending) or
    /// [ask](crate::Session::questions), the session waits for them. The run that settles the last of them ends for the
    /// same reason, and the session is completed.
    Halt {
        /// The call's place in its turn, from 0.
        index: usize,
        /// The call's id.
        id: ShortStr,
        /// Reason given by the tool.
        reason: HaltReason,
        /// Value given by the tool.
        value: Payload,
    },
    /// Calls are pending: see [`Session::pending`](crate::Session::pending).
    Pending,
    /// All calls that succeeded return directly to the user. Holds the last of their answers.
    ReturnDirect(String),
    /// An interrupt stopped the run before or after this node.
    Interrupted {
        /// The node.
        node: Node,
        /// True if the node has been visited.
        after: bool,
    },
    /// The condition of [`Agent::halt_when`](crate::Agent::halt_when) holds.
    HaltWhen,
    /// The run reached its limit of model calls. At this and the other limits, running the session again allows the
    /// same number again.
    MaxTurns(u32),
    /// The run reached its limit of tool rounds. The calls that came then are pending, and run when the session runs
    /// again.
    MaxToolRounds(u32),
    /// The run reached its limit of visited nodes.
    MaxSteps(u32),
    /// A [budget](crate::Agent::budget) does not pay for the next request or calls. The calls are pending, and run when
    /// the session runs again with a larger budget.
    Budget {
        /// What is left of the budget.
        left: Left,
        /// Estimated tokens of the request that was not sent. 0 if calls come next.
        needs: u64,
    },
    /// The host cancelled the run.
    Cancelled,
    /// The model failed after the first turn. The turns before are kept.
    ModelError(ModelError),
    /// The last response is not a whole answer, for this reason. Words in it are in the thread, and in [`Run::text`](Run#structfield.text).
    /// Calls that the provider withdrew, or half of which came, are answered with an error and did not run. Running the session
    /// again sends the conversation as it is then; [`Session::say`](crate::Session::say) adds a message before.
    Stopped(FinishReason),
}

impl Run {
    /// Returns the two runs as one.
    pub(crate) fn before(self, next: Self) -> Self {
        let mut usage = self.usage;
        usage += next.usage;
        Self {
            turns: self.turns.saturating_add(next.turns),
            rounds: self.rounds.saturating_add(next.rounds),
            usage,
            text: next.text.or(self.text),
            ..next
        }
    }
}

impl RunEnd {
    /// Returns true if a limit of the agent ended the run. Running the session again allows the same number again.
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::MaxTurns(_) | Self::MaxToolRounds(_) | Self::MaxSteps(_)
        )
    }

    /// Returns the reason's name: `max_turns`. A [`Halt`](Self::Halt) has the name that its tool gave.
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
            Self::Budget { .. } => EndReason::Budget,
            Self::Cancelled => EndReason::Cancelled,
            Self::ModelError(_) => EndReason::Error,
            Self::Stopped(reason) => end_of(reason),
        };
        reason.as_str()
    }
}

const fn end_of(reason: &FinishReason) -> EndReason {
    match reason {
        FinishReason::CutOff => EndReason::CutOff,
        FinishReason::Paused => EndReason::Paused,
        FinishReason::Refused => EndReason::Refused,
        FinishReason::Filtered => EndReason::Filtered,
        FinishReason::MalformedCall => EndReason::MalformedCall,
        FinishReason::InProgress => EndReason::InProgress,
        FinishReason::Failed(_) => EndReason::Failed,
        _ => EndReason::Stopped,
    }
}

impl Run {
    /// Returns the answer to the user: the last text of the model if the run completed, or the answer that goes directly to
    /// the user. `None` if the run ended otherwise; [`text`](Self#structfield.text) holds what the model said before.
    pub fn text(&self) -> Option<&str> {
        match &self.end {
            RunEnd::Completed => self.text.as_deref(),
            RunEnd::ReturnDirect(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the run if it came to its end: the model answered, an answer went directly to the user, or a tool or
    /// [`Agent::halt_when`](crate::Agent::halt_when) ended it.
    ///
    /// # Errors
    /// Fails if the run waits for somebody or was interrupted ([`AgentError::Paused`]), was cancelled, ended at a limit
    /// or a failure, or if its last response is not a whole answer ([`AgentError::Stopped`]).
    pub fn completed(self) -> Result<Self, AgentError> {
        match self.end {
            RunEnd::Completed
            | RunEnd::ReturnDirect(_)
            | RunEnd::Halt { .. }
            | RunEnd::HaltWhen => Ok(self),
            RunEnd::AskUser { .. } | RunEnd::Pending | RunEnd::Interrupted { .. } => {
                Err(AgentError::Paused(Box::new(self.end)))
            }
            RunEnd::Cancelled => Err(AgentError::Cancelled),
            RunEnd::MaxTurns(most) => Err(AgentError::Limit("model calls", most)),
            RunEnd::MaxToolRounds(most) => Err(AgentError::Limit("rounds of tools", most)),
            RunEnd::MaxSteps(most) => Err(AgentError::Limit("steps", most)),
            RunEnd::Budget { left, needs } => Err(AgentError::Budget { left, needs }),
            RunEnd::ToolError(error) => Err(AgentError::Tool(error)),
            RunEnd::ModelError(error) => Err(AgentError::Model(error)),
            RunEnd::Stopped(reason) => Err(AgentError::Stopped(reason)),
        }
    }
}

/// Error of an agent: the run did not start, or has no result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AgentError {
    /// The session is not in a state that can run.
    Session(SessionError),
    /// No provider would accept the thread.
    Thread(ThreadError),
    /// The model failed at the first request.
    Model(ModelError),
    /// A call failed, and the policy ends the run.
    Tool(ToolError),
    /// The run reached a limit: the counted thing and the limit.
    Limit(&'static str, u32),
    /// A budget does not pay for what comes next.
    Budget {
        /// What is left of it.
        left: Left,
        /// Tokens that the next request needs; 0 if nothing is left for calls either.
        needs: u64,
    },
    /// A budget limits money, and the host's [prices](crate::budget::Prices) have no model of this name. It is empty for a model
    /// without one.
    NoPrice(String),
    /// The host cancelled the run.
    Cancelled,
    /// The run paused: it waits for somebody, or was interrupted. Returned by [`Run::completed`].
    Paused(Box<RunEnd>),
    /// A response is not a whole answer, for this reason.
    Stopped(FinishReason),
    /// The final answer does not match the schema.
    Answer(ToolError),
    /// The tool choice names a tool that does not exist.
    ToolChoice(String),
    /// A tool that the agent [requires](crate::Agent::requires) is not offered to the model: its name and the reason.
    RequiredTool {
        /// The tool's name.
        tool: String,
        /// Reason why it is not offered.
        reason: String,
    },
    /// A decision cannot be carried out. The call stays pending.
    Decision {
        /// Places in their turns, from 0: of the calls that run the agents around the call, outermost first, and its own.
        path: Vec<usize>,
        /// Reason of the failure.
        error: ToolError,
    },
    /// The session could not be saved or loaded.
    Checkpoint(CheckpointError),
    /// The conversation was handed over to an agent that this one does not know.
    UnknownAgent(String),
    /// The thread is empty, so there is nothing to answer.
    EmptyThread,
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(error) => error.fmt(f),
            Self::Thread(error) => error.fmt(f),
            Self::Model(error) => error.fmt(f),
            Self::Tool(error) => error.fmt(f),
            Self::Limit(what, most) => write!(f, "the run reached its limit of {most} {what}"),
            Self::Budget { left, needs: 0 } => {
                write!(
                    f,
                    "the budget does not pay for what comes next: {left} left"
                )
            }
            Self::Budget { left, needs } => write!(
                f,
                "the budget does not pay for what comes next: it needs {needs} tokens, and {left} are left"
            ),
            Self::NoPrice(model) if model.is_empty() => {
                f.write_str("the table of prices has none for a model without a name")
            }
            Self::NoPrice(model) => write!(f, "the table of prices has no model `{model}`"),
            Self::RequiredTool { tool, reason } => {
                let (tool, reason) = (Printable::new(tool).one_line(), Printable::new(reason));
                write!(
                    f,
                    "the agent requires the tool `{tool}`, which is not offered: {reason}"
                )
            }
            Self::Cancelled => f.write_str("the run was cancelled"),
            Self::Paused(end) => match &**end {
                RunEnd::AskUser { question, .. } => {
                    let question = Printable::new(question).one_line();
                    write!(f, "the run has paused: a tool asks \"{question}\"")
                }
                RunEnd::Interrupted { node, after } => {
                    let side = if *after { "after" } else { "before" };
                    write!(
                        f,
                        "the run has paused: it was interrupted {side} the node `{node}`"
                    )
                }
                _ => f.write_str("the run has paused: calls wait for a decision or a result"),
            },
            Self::Stopped(reason) => write!(f, "the response is not a whole answer: {reason}"),
            Self::Answer(error) => {
                write!(f, "the answer does not match the schema: {error}")
            }
            Self::ToolChoice(message) => f.write_str(message),
            Self::Decision { path, error } => {
                let path = shown_path(path);
                write!(
                    f,
                    "the decision on call {path} cannot be carried out: {error}"
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

impl AgentError {
    /// Returns the error's stable name, `decision` for example. Where a [`RunEnd`] says the same, it is the name of that.
    pub fn as_str(&self) -> &str {
        let reason = match self {
            Self::Model(_) => EndReason::Error,
            Self::Tool(_) => EndReason::ToolError,
            Self::Budget { .. } => EndReason::Budget,
            Self::Cancelled => EndReason::Cancelled,
            Self::Paused(end) => return end.as_str(),
            Self::Stopped(reason) => end_of(reason),
            Self::Session(_) => return "session",
            Self::Thread(_) => return "thread",
            Self::Limit(..) => return "limit",
            Self::NoPrice(_) => return "no_price",
            Self::Answer(_) => return "answer",
            Self::ToolChoice(_) => return "tool_choice",
            Self::RequiredTool { .. } => return "required_tool",
            Self::Decision { .. } => return "decision",
            Self::Checkpoint(_) => return "checkpoint",
            Self::UnknownAgent(_) => return "unknown_agent",
            Self::EmptyThread => return "empty_thread",
        };
        reason.as_str()
    }

    /// Creates the error of a decision that cannot be carried out. [`at`](Self::at) adds the call's place.
    pub(crate) fn decision(error: ToolError) -> Self {
        Self::Decision {
            path: Vec::new(),
            error,
        }
    }

    /// Makes it an error of an agent that waits inside of the call at this place.
    pub(crate) fn at(self, index: usize) -> Self {
        match self {
            Self::Decision { mut path, error } => {
                path.insert(0, index);
                Self::Decision { path, error }
            }
            other => other,
        }
    }

    /// Returns the error of a decision for an agent that cannot continue.
    pub(crate) fn kept(self) -> Self {
        match self {
            decision @ Self::Decision { .. } => decision,
            other => {
                let words = format!("the agent that the call runs cannot go on: {other}");
                Self::decision(ToolError::new(ErrorKind::Rejected, words).with_source(other))
            }
        }
    }

    /// Returns true if the host can mend it: no model reads it, and the session continues where it stood.
    pub(crate) fn is_for_the_host(&self) -> bool {
        match self {
            Self::Session(_)
            | Self::Thread(_)
            | Self::NoPrice(_)
            | Self::ToolChoice(_)
            | Self::RequiredTool { .. }
            | Self::Decision { .. }
            | Self::UnknownAgent(_)
            | Self::EmptyThread => true,
            Self::Model(_)
            | Self::Tool(_)
            | Self::Limit(..)
            | Self::Budget { .. }
            | Self::Cancelled
            | Self::Paused(_)
            | Self::Stopped(_)
            | Self::Answer(_)
            | Self::Checkpoint(_) => false,
        }
    }
}

/// Writes a path as a list of places: `0, 2`.
pub(crate) fn shown_path(path: &[usize]) -> String {
    let places: Vec<_> = path.iter().map(usize::to_string).collect();
    places.join(", ")
}

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
