//! Calls that stay open: who owns them, and what becomes of them in another process.
//!
//! Open calls belong to the outermost conversation. Its session lists them, the journal records what they come to. A call
//! that is open and for which nothing runs is made again, behind the journal: that answers it from its record, or lets
//! it run again, or says that its outcome is unknown.

use std::collections::BTreeMap;

use toolwright_provider::call::{StoredOutcome, ToolError};
use toolwright_runtime::executor::{DecidedCall, Halted, PendingReason, Reply, UnknownOutcome};
use toolwright_runtime::tool::{
    CallPlace, Decision, OpenCall, OpenCallError, OpenCallState, OpenCalls,
};

use super::Engine;
use super::tools_visit::ToolsVisit;
use crate::agent::sub_sessions::SubSessions;
use crate::run::AgentError;
use crate::store::CheckpointError;
use crate::store::journal::unknown;

impl Engine<'_> {
    /// Returns the owner of open calls. A step has none, since it ends before their results come. A computed model waits for them.
    pub(super) fn open_calls(&self, visit: &ToolsVisit) -> Option<OpenCalls> {
        if self.is_step || self.active_agent().model.__is_computed() {
            return None;
        }
        let open = match self.host.get::<SubSessions>() {
            Some(outer) => outer.queue().open().cancelled_by(outer.stop().clone()),
            None => self.session.open().cancelled_by(self.host.cancel()),
        };
        Some(match &visit.journal {
            Some(journal) => open.store(journal.clone()),
            None => open,
        })
    }

    /// Finds what became of the open calls for which nothing runs in this process. Returns false if there are none.
    pub(super) async fn recover_open(&mut self) -> Result<bool, AgentError> {
        let open = self.session.open();
        let mut known = false;
        for call in open.list() {
            // What was unknown may have been recorded since, by the process that ran it.
            if let OpenCallState::Unknown(_) = call.state
                && let Some(outcome) = self.recorded(&call).await
            {
                ended(open.end(&call.key, outcome).await)?;
                known = true;
            }
        }
        let lost = open.lost();
        for key in &lost {
            if let Some(call) = open.get(key) {
                // Boxed, because it is rare, and the future of a run would hold it.
                Box::pin(self.recover(&open, call)).await?;
            }
        }
        self.session.publish_open();
        Ok(known || !lost.is_empty())
    }

    /// Returns the recorded outcome of a call of this conversation, or of an agent in it.
    async fn recorded(&self, call: &OpenCall) -> Option<StoredOutcome> {
        let (store, session) = (
            self.agent.persistence.store.as_ref()?,
            call.session.as_ref()?,
        );
        let key = call.place.as_ref().map(CallPlace::first_key)?;
        // What is wrong with a record is said where its call is made again.
        let records = store.calls(session).await.ok()?;
        let record = records.into_iter().find(|record| record.key == key)?;
        let outcome = StoredOutcome::from_json(&record.outcome?).ok()?;
        let is_known = |error: ToolError| !error.is_outcome_unknown();
        let outcome_is_known = outcome.clone().into_outcome().err().is_none_or(is_known);
        outcome_is_known.then_some(outcome)
    }

    async fn recover(&self, open: &OpenCalls, call: OpenCall) -> Result<(), AgentError> {
        // No layer and no tool is asked again about what is known.
        if let Some(outcome) = self.recorded(&call).await {
            return ended(open.end(&call.key, outcome).await);
        }
        let tools = self.active_agent().executor.tools(&self.context());
        let is_own = call.session.as_deref() == Some(self.session.id());
        // Another agent's tool of this name is another tool.
        let tool = tools.get(&call.call.name).filter(|_| is_own);
        let mut visit = self.tools_visit(&tools, None)?;
        (visit.journal, visit.begun) = (None, None);
        if is_own {
            // Approvals are of calls of the last turn.
            visit.journal = self.journal(None, vec![call.call.clone()], BTreeMap::new())?;
        }
        let policy = self.unknown_outcome();
        // An approval is for one run, and only a person gives another.
        let needs_approval = tool.is_some_and(|tool| tool.def().options.needs_approval);
        let runs = !needs_approval
            && (visit.journal.is_some()
                || policy == UnknownOutcome::RunAgain
                || tool.is_some_and(|tool| tool.def().options.annotations.may_repeat()));
        let batch = match call.place.clone().filter(|_| runs && tool.is_some()) {
            Some(place) => {
                let decided = [DecidedCall::new(call.call.clone(), 0, Decision::Approve)];
                let cx = self.call_context(&visit).with_place(place);
                let mut executor = self.executor(&visit);
                if let Some(open) = self.open_calls(&visit) {
                    executor = executor.open_calls(open.keeping());
                }
                let batch = executor.run(&decided, &cx).await;
                if let Some(error) = visit.failure() {
                    return Err(error.into());
                }
                // Another run finds it.
                if batch.halted() == Some(&Halted::Cancelled) {
                    return Ok(());
                }
                Some(batch)
            }
            None => None,
        };
        let reply = batch.as_ref().and_then(|batch| batch.calls().first());
        let outcome = match reply {
            // It goes on, or has ended here meanwhile.
            Some(Reply::Answered(result)) if result.is_open() => return Ok(()),
            Some(Reply::Answered(result)) => StoredOutcome::of(result),
            Some(Reply::Pending(pending)) => {
                let error = match &pending.reason {
                    PendingReason::OutcomeUnknown(error) => error.clone(),
                    _ => unknown().to_string(),
                };
                open.mark_unknown(&call.key, error);
                return Ok(());
            }
            None if policy == UnknownOutcome::Ask => {
                open.mark_unknown(&call.key, unknown().to_string());
                return Ok(());
            }
            None => Ok(StoredOutcome::of_error(&unknown())),
        };
        let outcome = outcome.unwrap_or_else(|error| {
            let words = format!("its result cannot be written: {error}");
            StoredOutcome::of_error(&ToolError::failed(words))
        });
        let updates = batch.map(|batch| batch.updates().to_vec());
        let outcome = outcome.with_updates(updates.unwrap_or_default());
        ended(open.end(&call.key, outcome).await)
    }
}

/// Somebody may have ended the call meanwhile.
fn ended(ended: Result<(), OpenCallError>) -> Result<(), AgentError> {
    ended.or_else(|error| match error {
        OpenCallError::Store { .. } => Err(CheckpointError::store(error.to_string()).into()),
        _ => Ok(()),
    })
}
