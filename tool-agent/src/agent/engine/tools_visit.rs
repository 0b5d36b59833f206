//! Resources of one visit of the tools node: its journal or marks, its sub-sessions, and its paused calls.
//!
//! They go to the calls as layers of the executor. If one of them could not be saved, the visit is discarded.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolwright_provider::call::{ErrorKind, ToolCall, ToolError};
use toolwright_runtime::executor::{
    Event, Executor, PausedCalls, Pending, PendingReason, UnknownOutcome,
};
use toolwright_runtime::tool::Context;
use toolwright_runtime::toolset::Toolset;

use super::Engine;
use crate::agent::begun_layer::BegunLayer;
use crate::agent::held_lease::HeldLease;
use crate::agent::sub_sessions::{SubSessions, Unattended};
use crate::event::RunEvent;
use crate::run::AgentError;
use crate::session::WaitingCall;
use crate::store::CheckpointError;
use crate::store::journal::{Journal, Unsaved};

/// Journal, sub-sessions and paused calls of one visit of the tools.
pub(super) struct ToolsVisit {
    pub(super) journal: Option<Journal>,
    /// Marks of begun calls, if there is no journal.
    pub(super) begun: Option<BegunLayer>,
    /// Present if some of the tools are agents.
    pub(super) subs: Option<SubSessions>,
    /// Calls whose tools ask and go on with the answers. `None` if questions cannot be asked.
    pub(super) paused: Option<PausedCalls>,
}

impl ToolsVisit {
    pub(super) fn add_to(&self, cx: Context) -> Context {
        let cx = match &self.subs {
            Some(subs) => cx.__with_own(subs.clone()),
            None => cx,
        };
        let cx = match &self.paused {
            Some(paused) => cx.__with_own(paused.clone()),
            None => cx,
        };
        match &self.journal {
            Some(journal) => cx.__with_own(journal.clone()),
            None => cx,
        }
    }

    /// Makes a pending call one that waits in the session. `before` is what waited at its place, whose decision was carried out.
    ///
    /// The error is that of a call whose tool asks, and did not get the decision.
    pub(super) fn waiting(
        &self,
        index: usize,
        pending: &Pending,
        tool: String,
        before: Option<WaitingCall>,
    ) -> (WaitingCall, Option<AgentError>) {
        let mut shown = pending.clone();
        shown.index = index;
        let is_unknown = matches!(shown.reason, PendingReason::OutcomeUnknown(_));
        let paused = self.paused.as_ref();
        let before = match before {
            Some(before) if !is_unknown && paused.is_some_and(|paused| paused.is_unused(index)) => {
                let words = "a layer held the call back, and its tool did not get the decision";
                let error = ToolError::new(ErrorKind::Rejected, words);
                let wait = WaitingCall {
                    decision: None,
                    ..before
                };
                return (wait, Some(AgentError::decision(error).at(index)));
            }
            before => before,
        };
        let sub = self.subs.as_ref();
        let sub = sub.and_then(|subs| subs.take_paused(index));
        let asks = paused.and_then(|paused| paused.take_question(index));
        let (question, state) = asks.unzip();
        if sub.is_some() {
            shown.reason = PendingReason::Agent;
        } else if let Some(question) = question {
            shown.reason = question.into();
        }
        let mut wait = WaitingCall::new(shown, tool);
        if is_unknown || state.is_some() {
            let journal = self.journal.as_ref();
            wait = wait.with_record(journal.and_then(|journal| journal.unknown(index)));
        }
        wait.edited = before
            .as_ref()
            .is_some_and(|before| before.edited().is_some());
        wait.sub = sub.map(Box::new).or(before.and_then(|before| before.sub));
        wait.paused = state;
        (wait, None)
    }

    /// Waits for what calls have left to write.
    pub(super) async fn settle(&self) {
        if let Some(journal) = &self.journal {
            journal.settle().await;
        }
    }

    pub(super) fn failure(&self) -> Option<CheckpointError> {
        let journal = self.journal.as_ref().and_then(Journal::failure);
        journal.or_else(|| self.subs.as_ref().and_then(SubSessions::failure))
    }
}

impl Engine<'_> {
    /// Prepares a visit for calls of these tools. A step saves no session, so it has no checkpoint for
    /// call records to refer to, and no sub-sessions. The first call that begins writes the checkpoint that is not saved.
    pub(super) fn tools_visit(
        &self,
        tools: &Toolset,
        unsaved: Option<Box<Unsaved>>,
    ) -> Result<ToolsVisit, AgentError> {
        if self.is_step {
            return Ok(ToolsVisit {
                journal: None,
                begun: None,
                subs: None,
                paused: None,
            });
        }
        let has_agents = tools.iter().any(|tool| tool.__agent().is_some());
        let outer = self.host.get::<SubSessions>();
        let store = self.agent.persistence.store.clone();
        let subs = || {
            let (ledger, reports_edits) = (self.ledger(), self.reports_edits());
            SubSessions::new(
                store,
                self.session,
                outer,
                &self.host,
                ledger,
                reports_edits,
            )
        };
        let is_attended = self.host.get::<Unattended>().is_none();
        Ok(ToolsVisit {
            paused: is_attended.then(|| self.session.paused_calls()),
            journal: self.journal(
                unsaved,
                self.session.thread().last_calls().to_vec(),
                self.session.again().collect(),
            )?,
            begun: (self.agent.persistence.store.is_none())
                .then(|| BegunLayer::new(&self.session.begun, self.unknown_outcome())),
            subs: has_agents.then(subs),
        })
    }

    /// Returns true if the agent that answers, that of the run, or a caller reports edits.
    pub(super) fn reports_edits(&self) -> bool {
        self.agent.reports_edits || self.active_agent().reports_edits
    }

    /// Creates the journal of one visit for these calls, and the checkpoint that is not saved. `again` holds approved record revisions, by place.
    pub(super) fn journal(
        &self,
        unsaved: Option<Box<Unsaved>>,
        calls: Vec<ToolCall>,
        again: BTreeMap<usize, u64>,
    ) -> Result<Option<Journal>, CheckpointError> {
        let (persistence, unknown) = (&self.agent.persistence, self.unknown_outcome());
        let lease = self.lease.as_ref().map(HeldLease::token);
        persistence.journal(self.session, unsaved, lease, unknown, calls, again)
    }

    /// Returns the policy of the active agent, or of the one that was asked.
    pub(super) fn unknown_outcome(&self) -> UnknownOutcome {
        let own = self.active_agent().executor.unknown_outcome();
        own.or(self.agent.executor.unknown_outcome())
            .unwrap_or(UnknownOutcome::Ask)
    }

    /// Returns the executor of the calls, with the run's listeners. The journal records what happens inside of it: a pause.
    pub(super) fn executor(&self, visit: &ToolsVisit) -> Executor {
        let executor = self.active_agent().executor.clone();
        let mut executor = executor.on_unknown_outcome(self.unknown_outcome());
        if let Some(begun) = &visit.begun {
            executor = executor.layer(begun.clone());
        }
        if let Some(subs) = &visit.subs {
            executor = executor.layer(subs.clone());
        }
        if let Some(journal) = &visit.journal {
            executor = executor.layer(journal.clone());
        }
        if let Some(paused) = &visit.paused {
            executor = executor.layer(paused.clone());
        }
        if let Some(open) = self.open_calls(visit) {
            executor = executor.open_calls(open);
        }
        // One observer per listener, because the executor contains the panic of each observer.
        for listener in &self.agent.listeners {
            let listener = Arc::clone(listener);
            let (session, run_id) = (self.session.id().to_owned(), self.session.run_id());
            let observer = move |event: &Event<'_>| {
                let (session, run_id) = (session.as_str(), run_id.as_str());
                listener.event(&RunEvent::Call {
                    session,
                    run_id,
                    event,
                });
            };
            executor = executor.on_event(observer);
        }
        executor
    }
}
