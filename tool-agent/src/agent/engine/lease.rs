//! What a visit of the tools lends to its calls, and what runs them.

use std::sync::Arc;

use toolwright_runtime::{Context, Event as CallEvent, Executor, Toolset};

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
    /// What one visit lends to its calls, of which these are the tools. A step keeps no session: so it
    /// has no checkpoint that a record could stand behind, and no sub-sessions.
    pub(super) fn lend(&self, tools: &Toolset) -> Result<Lent, AgentError> {
        if self.is_step {
            return Ok(Lent {
                journal: None,
                subs: None,
            });
        }
        let has_agents = tools.iter().any(|tool| tool.resumes());
        let outer = self.host.get::<Subs>();
        let store = self.agent.keep.store.clone();
        let subs = || Subs::new(store, self.session, outer, &self.host);
        Ok(Lent {
            journal: self.agent.keep.journal(self.session)?,
            subs: has_agents.then(subs),
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
        // One observer each: the executor contains what panics.
        for listener in &self.agent.listeners {
            let listener = Arc::clone(listener);
            let (session, run_id) = (self.session.id().to_owned(), self.session.run_id());
            let observer = move |event: &CallEvent<'_>| {
                let (session, run_id) = (session.as_str(), run_id.as_str());
                listener.event(&Event::Call {
                    session,
                    run_id,
                    event,
                });
            };
            executor = executor.observe(observer);
        }
        executor
    }
}
