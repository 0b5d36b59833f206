//! One call that runs an agent: finds its session, runs it, and maps the end of the run to an outcome.

use std::sync::Arc;

use toolwright_provider::call::{ErrorKind, Outcome, ToolError};
use toolwright_runtime::tool::{Context, State};

use super::{AgentTool, FinalizeFn};
use crate::agent::Agent;
use crate::agent::sub_sessions::{SubSessions, Unattended};
use crate::budget::Ledger;
use crate::model::ModelError;
use crate::run::{AgentError, RunEnd};
use crate::session::{Session, Status};
use crate::store::CheckpointError;

/// A call of an agent.
pub(super) struct AgentCall {
    agent: Agent,
    finish: Option<Arc<FinalizeFn>>,
    /// Session id; `None` for a new random id.
    id: Option<Arc<str>>,
    /// State of the calling conversation. A new session starts with a copy.
    state: State,
    /// Context of the run. Its state is the host's, which overrides the session's.
    cx: Context,
    /// True if the session has begun before.
    continues: bool,
}

/// Result of running the agent.
pub(super) enum AgentCallResult {
    Ended(Result<Outcome, ToolError>),
    /// The agent waits for input.
    Paused,
    /// A budget of a caller does not pay for the agent, which goes on with a larger one.
    Spent(RunEnd),
    /// The agent cannot continue its conversation before the host mends something. It waits on.
    Refused(AgentError),
    /// The session could not be saved: another writer continued it, or the store failed.
    NotSaved(CheckpointError),
}

impl AgentCall {
    pub(super) fn new(
        tool: &AgentTool,
        subs: Option<&SubSessions>,
        ledger: Option<Ledger>,
        cx: &Context,
    ) -> Self {
        let mut agent = tool.agent.clone();
        if agent.persistence.store.is_none() {
            agent.persistence.store = subs.and_then(|subs| subs.store().cloned());
        }
        agent.reports_edits |= subs.is_some_and(SubSessions::reports_edits);
        let id = subs.and_then(|subs| subs.id(cx));
        // A session of a random id is nobody's.
        let caller = id.as_ref().and(cx.session_id());
        agent.persistence.caller = caller.map(Arc::from);
        let host = subs.map(|subs| subs.state().clone()).unwrap_or_default();
        Self {
            agent,
            finish: tool.finish.clone(),
            id,
            state: cx.session_state().clone(),
            cx: toolwright_runtime::tool::inside_call(cx)
                .with_state(host)
                .with(ledger),
            continues: true,
        }
    }

    /// Prevents the agent's tools from pausing where its session is dropped at the end of the call.
    pub(super) fn is_attended(&mut self, is_attended: bool) {
        if !is_attended {
            self.cx = std::mem::take(&mut self.cx).with(Unattended);
        }
    }

    /// Returns the session to run: the caller's copy, a newer stored one, or a new one.
    pub(super) async fn session(
        &mut self,
        kept: Option<Session>,
        input: String,
    ) -> Result<Session, CheckpointError> {
        let stored = match &self.id {
            Some(id) if self.agent.persistence.store.is_some() => {
                self.agent.persistence.latest(id).await?
            }
            _ => None,
        };
        let mut session = match (kept, stored) {
            // A process died during the call, or a layer repeats the call.
            (Some(kept), Some(stored)) if stored.saved > kept.saved => stored,
            (Some(kept), _) | (None, Some(kept)) => kept,
            (None, None) => {
                self.continues = false;
                let new = self.id.clone().map_or_else(Session::new, Session::with_id);
                let mut session = new.with_state(self.state.clone());
                session.begin(input);
                session
            }
        };
        session.clear_error();
        Ok(session)
    }

    /// Runs the agent until it ends or pauses.
    pub(super) async fn run(&self, session: &mut Session) -> AgentCallResult {
        if !session.goes_on() {
            return AgentCallResult::Paused;
        }
        // A completed session already has its result.
        let mut halted = None;
        if session.status() != Status::Completed {
            let run = self.agent.run(session, &self.cx).await;
            let failed = match run {
                // For whatever reason the run ended, the session waits for input.
                Ok(run) if session.is_paused() && !matches!(run.end, RunEnd::Cancelled) => {
                    return AgentCallResult::Paused;
                }
                Ok(run) => match run.end {
                    // Its own budget is no larger at the next run.
                    RunEnd::Budget { .. } if self.agent.budget.is_none() => {
                        return AgentCallResult::Spent(run.end);
                    }
                    RunEnd::Completed | RunEnd::HaltWhen | RunEnd::ReturnDirect(_) => None,
                    RunEnd::Halt { reason, value, .. } => {
                        halted = Some(Outcome::Halt { reason, value });
                        None
                    }
                    RunEnd::Cancelled => Some(cancelled()),
                    _ => run.completed().err().map(failed),
                },
                Err(AgentError::Checkpoint(error)) => return AgentCallResult::NotSaved(error),
                Err(error) if self.continues && error.is_for_the_host() => {
                    return AgentCallResult::Refused(error.kept());
                }
                Err(error) => Some(failed(error)),
            };
            if let Some(error) = failed {
                return AgentCallResult::Ended(Err(error));
            }
        }
        let result = match (halted, &self.finish) {
            (Some(halted), _) => Ok(halted),
            (None, None) => Ok(Outcome::value(words(session))),
            (None, Some(finish)) => finish(&self.agent, session, &self.cx).await.map_err(failed),
        };
        let is_direct = session.thread().direct().is_some();
        AgentCallResult::Ended(result.map(|outcome| match outcome {
            outcome if is_direct => outcome.into_direct(),
            outcome => outcome,
        }))
    }
}

fn words(session: &Session) -> &str {
    let last = session.result().or_else(|| session.thread().last_text());
    last.unwrap_or_default()
}

/// Returns the outcome of a pause that the caller cannot store.
pub(super) fn paused(status: Status) -> Result<Outcome, ToolError> {
    match status {
        Status::AwaitingUser {
            question,
            mut options,
            ..
        } => {
            // By a key, a server calls the tool again with the answer. The agent would begin anew.
            options.remove("key");
            Ok(Outcome::AskUser { question, options })
        }
        status => Err(nobody().with_debug(format!("it is {}", status.as_str()))),
    }
}

/// Returns the error of an agent that needs a decision where no question can be asked.
pub(super) fn nobody() -> ToolError {
    ToolError::failed("the agent needs somebody's decision, and nobody can be asked here")
        .permanent()
}

/// Returns the question of an agent that paused in the background.
pub(super) fn asks(status: Status) -> Outcome {
    match status {
        Status::AwaitingUser {
            question, options, ..
        } => Outcome::AskUser { question, options },
        _ => Outcome::ask("somebody has to decide about a call of the agent"),
    }
}

/// Records a failed save, so that a caller with a store discards the call.
pub(super) fn not_saved(error: CheckpointError, subs: Option<&SubSessions>) -> ToolError {
    if let Some(subs) = subs {
        subs.fails(error.clone());
    }
    ToolError::failed("the agent's conversation could not be kept").with_source(error)
}

/// Maps a failure to the error that the calling model reads. Details for the host go to its debug text.
pub(super) fn failed(error: AgentError) -> ToolError {
    match error {
        AgentError::Tool(error) => error,
        AgentError::Cancelled => cancelled(),
        AgentError::Limit(what, most) => {
            ToolError::failed(format!("the agent reached its limit of {most} {what}"))
        }
        // How much money there is, no model has to know.
        AgentError::Budget { left, .. } => spent().with_debug(left.to_string()),
        AgentError::Model(error) => model(error),
        AgentError::Stopped(reason) => {
            ToolError::failed(format!("the agent gave no whole answer: {reason}"))
        }
        AgentError::Answer(error) => ToolError::failed(format!(
            "the agent's answer does not match the schema: {error}"
        )),
        other => {
            let words = other.to_string();
            ToolError::failed("the agent could not run")
                .with_source(other)
                .with_debug(words)
        }
    }
}

pub(super) fn spent() -> ToolError {
    ToolError::failed("the agent's budget does not pay for more").permanent()
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
