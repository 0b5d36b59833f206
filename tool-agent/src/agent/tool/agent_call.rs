//! What an agent does for a call.

use std::sync::Arc;

use toolwright_runtime::{__private, Cancel, Context, ErrorKind, Outcome, State, ToolError};

use super::{AgentTool, Finish};
use crate::agent::Agent;
use crate::agent::sub::Subs;
use crate::{AgentError, CheckpointError, Halted, ModelError, Session, Status};

/// An agent, and a call's wish to it.
pub(super) struct Errand {
    agent: Agent,
    finish: Option<Arc<Finish>>,
    /// The id of its conversation; `None` if a new one is as good.
    id: Option<Arc<str>>,
    /// What the calling conversation knows: its own begins with it.
    state: State,
    /// What the host says of the call goes over what its conversation knows; that of the caller does not.
    cx: Context,
}

/// What it came to.
pub(super) enum Came {
    To(Result<Outcome, ToolError>),
    /// It waits for somebody.
    Waits,
    /// Its conversation could not be kept: others go on with it, or nobody can.
    NotKept(CheckpointError),
}

impl Errand {
    pub(super) fn new(tool: &AgentTool, subs: Option<&Subs>, cx: &Context) -> Self {
        let mut agent = tool.agent.clone();
        if agent.keep.store.is_none() {
            agent.keep.store = subs.and_then(|subs| subs.store().cloned());
        }
        let host = subs.map(|subs| subs.state().clone()).unwrap_or_default();
        Self {
            agent,
            finish: tool.finish.clone(),
            id: subs.and_then(|subs| subs.id(cx)),
            state: cx.state().clone(),
            cx: __private::inside_call(cx).with_state(host),
        }
    }

    /// Where the conversation stands: as the caller has it, or as it was kept since, or at its beginning.
    pub(super) async fn session(
        &mut self,
        kept: Option<Session>,
        input: String,
    ) -> Result<Session, CheckpointError> {
        let stored = match &self.id {
            Some(id) if self.agent.keep.store.is_some() => self.agent.keep.latest(id).await?,
            _ => None,
        };
        let mut session = match (kept, stored) {
            // A program ended in its midst, or a layer calls again.
            (Some(kept), Some(stored)) if stored.saved > kept.saved => stored,
            (Some(kept), _) | (None, Some(kept)) => kept,
            (None, None) => {
                let new = self.id.clone().map_or_else(Session::new, Session::with_id);
                let mut session = new.with_state(self.state.clone());
                session.begin(input);
                session
            }
        };
        session.clear_error();
        Ok(session)
    }

    /// The same, which nothing ends but this.
    pub(super) fn cancelled_by(self, stop: Cancel) -> Self {
        Self {
            cx: self.cx.with_cancel(stop),
            ..self
        }
    }

    /// Lets the agent go on until it ends or pauses.
    pub(super) async fn run(&self, session: &mut Session) -> Came {
        if !session.goes_on() {
            return Came::Waits;
        }
        // One that has ended has its result already.
        if *session.status() != Status::Completed {
            let run = self.agent.run(session, &self.cx).await;
            let failed = match run {
                // Whatever ended the run, somebody is needed first.
                Ok(run) if session.is_paused() && !matches!(run.halted, Halted::Cancelled) => {
                    return Came::Waits;
                }
                Ok(run) => match run.halted {
                    Halted::Completed
                    | Halted::HaltWhen
                    | Halted::Halt { .. }
                    | Halted::ReturnDirect(_) => None,
                    Halted::Cancelled => Some(cancelled()),
                    _ => run.strict().err().map(failed),
                },
                Err(AgentError::Checkpoint(error)) => return Came::NotKept(error),
                Err(error) => Some(failed(error)),
            };
            if let Some(error) = failed {
                return Came::To(Err(error));
            }
        }
        let came = match &self.finish {
            None => Ok(Outcome::value(words(session))),
            Some(finish) => finish(&self.agent, session, &self.cx).await.map_err(failed),
        };
        Came::To(came)
    }
}

fn words(session: &Session) -> &str {
    let last = session.result().or_else(|| session.thread().last_text());
    last.unwrap_or_default()
}

/// A pause that nobody here can keep.
pub(super) fn paused(status: Status) -> Result<Outcome, ToolError> {
    match status {
        Status::AwaitingUser {
            question, options, ..
        } => Ok(Outcome::AskUser { question, options }),
        status => Err(ToolError::failed(
            "the agent needs somebody's decision, and nobody can be asked here",
        )
        .with_debug(format!("it is {}", status.as_str()))
        .permanent()),
    }
}

/// The call does not count, if the caller keeps its conversation too.
pub(super) fn not_kept(error: CheckpointError, subs: Option<&Subs>) -> ToolError {
    if let Some(subs) = subs {
        subs.fails(error.clone());
    }
    ToolError::failed("the agent's conversation could not be kept").with_source(error)
}

/// What the calling model reads of a failure: what is the host's, the host alone.
fn failed(error: AgentError) -> ToolError {
    match error {
        AgentError::Tool(error) => error,
        AgentError::Cancelled => cancelled(),
        AgentError::Limit(what, most) => {
            ToolError::failed(format!("the agent came to its limit of {most} {what}"))
        }
        AgentError::Model(error) => model(error),
        AgentError::Answer(error) => ToolError::failed(format!(
            "the agent's answer is not of the form that was asked for: {error}"
        )),
        other => {
            let words = other.to_string();
            ToolError::failed("the agent could not run")
                .with_source(other)
                .with_debug(words)
        }
    }
}

fn model(error: ModelError) -> ToolError {
    let words = error.to_string();
    let failed = ToolError::failed("the agent's model failed").with_debug(words);
    let is_transient = error.kind().is_transient();
    let failed = failed.with_source(error);
    if is_transient {
        failed
    } else {
        failed.permanent()
    }
}

fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "the agent was cancelled")
}
