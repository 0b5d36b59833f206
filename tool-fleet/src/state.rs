//! What becomes of a conversation: inputs of people, and the state that they see.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::Context;
use toolwright::agent::session::{CallRef, SessionError, StoredEnd};
use toolwright::agent::{Agent, Session, Status};
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
    /// How the last run ended. It has a message if the run failed. `None` if no run has ended with this input.
    ///
    /// Its reason is that of [`RunEnd::as_str`](toolwright::agent::RunEnd::as_str) or
    /// [`AgentError::as_str`](toolwright::agent::AgentError::as_str), or `fleet` if the fleet could not run the agent.
    pub end: Option<StoredEnd>,
    /// Last text of the model, or the answer that goes directly to the user.
    pub text: Option<String>,
    /// All that the conversation waits for, with the calls of agents in calls: see
    /// [`Agent::waiting`](toolwright::agent::Agent::waiting).
    #[serde(default)]
    pub waiting: Vec<Waiting>,
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

impl ConversationState {
    /// Returns the state of a conversation without a session.
    pub(crate) fn empty() -> Self {
        Self {
            status: None,
            end: None,
            text: None,
            waiting: Vec::new(),
            refused: Vec::new(),
        }
    }

    pub(crate) fn failed(end: StoredEnd) -> Self {
        Self {
            end: Some(end),
            ..Self::empty()
        }
    }

    /// Returns the state of a conversation whose agent could not be run.
    pub(crate) fn not_run(message: impl Into<String>) -> Self {
        Self::failed(StoredEnd::failure("fleet", message))
    }

    /// Returns the reason of the failure, if the last run failed.
    pub(crate) fn failure(&self) -> Option<&str> {
        let end = self.end.as_ref().filter(|end| end.message.is_some());
        end.map(|end| &*end.reason)
    }

    pub(crate) fn of(
        agent: &Agent,
        session: &Session,
        end: Option<StoredEnd>,
        refused: Vec<RefusedInput>,
    ) -> Self {
        let text = session.result().or_else(|| session.thread().last_text());
        Self {
            status: Some(session.status()),
            end,
            text: text.map(str::to_owned),
            waiting: agent.waiting(session, &Context::new()),
            refused,
        }
    }
}
