//! What a visit of the tools lends to its calls, and what runs them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use toolwright_runtime::{Context, Event as CallEvent, Executor};

use super::Engine;
use crate::agent::sub::Subs;
use crate::event::Event;
use crate::journal::Journal;
use crate::{AgentError, CheckpointError};

/// What one visit lends to its calls.
pub(super) struct Lent {
    pub(super) journal: Option<Journal>,
    /// Where some of the tools are agents.
    pub(super) subs: Option<Subs>,
}

impl Lent {
    pub(super) fn within(&self, cx: Context) -> Context {
        match &self.subs {
            Some(subs) => cx.with(subs.clone()),
            None => cx,
        }
    }

    pub(super) fn failure(&self) -> Option<CheckpointError> {
        let journal = self.journal.as_ref().and_then(Journal::failure);
        journal.or_else(|| self.subs.as_ref().and_then(Subs::failure))
    }
}

impl Engine<'_> {
    /// What one visit lends to its calls.
    pub(super) fn lend(&self) -> Result<Lent, AgentError> {
        let agents = self.speaker().executor.tools(&self.context());
        let has_agents = agents.iter().any(|tool| tool.resumes());
        let outer = self.host.get::<Subs>();
        let store = self.agent.keep.store.clone();
        let subs = || Subs::new(store, self.session, outer, self.host.cancel());
        Ok(Lent {
            journal: self.agent.keep.journal(self.session)?,
            // A step keeps no sessions, and so no sub-sessions.
            subs: (has_agents && !self.is_step).then(subs),
        })
    }

    /// What runs the calls, with those who look on at the run, and the journal further in than all
    /// layers.
    pub(super) fn executor(&self, lent: &Lent) -> Executor {
        let mut executor = self.speaker().executor.clone();
        if let Some(subs) = &lent.subs {
            executor = executor.layer(subs.clone());
        }
        if let Some(journal) = &lent.journal {
            executor = executor.layer(journal.clone());
        }
        if self.agent.listeners.is_empty() {
            return executor;
        }
        let listeners = self.agent.listeners.clone();
        executor.observe(move |event: &CallEvent<'_>| {
            for listener in &listeners {
                let _ = catch_unwind(AssertUnwindSafe(|| listener.event(&Event::Call(event))));
            }
        })
    }
}
