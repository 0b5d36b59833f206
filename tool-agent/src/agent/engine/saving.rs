//! When a run saves its session: after each node, or with the next call.

use super::Engine;
use crate::agent::Agent;
use crate::agent::held_lease::HeldLease;
use crate::run::AgentError;
use crate::session::Node;
use crate::store::journal::Journal;
use crate::store::{Lease, Written};
use crate::thread::ThreadMessage;

impl Engine<'_> {
    /// Notes the checkpoint that a call wrote.
    pub(super) fn note_saved(&mut self) {
        let saved = self.journal.as_ref().map(Journal::saved);
        self.session.saved = self.session.saved.max(saved);
    }

    /// Returns true if the next call or the end saves the node that this agent visited: its model computes its response again, and
    /// what the calls of the step came to is recorded.
    pub(super) fn saves_later(&mut self, visited: Node, by: &Agent) -> Result<bool, AgentError> {
        if !by.model.__is_computed() {
            return Ok(false);
        }
        match (visited, self.session.at.node) {
            (Node::Model, Node::Tools) => {
                let lease = self.lease.as_ref().map_or(Lease::None, HeldLease::kept);
                let (persistence, after) = (&self.agent.persistence, self.session.saved);
                if persistence.store.is_some() {
                    let new = persistence.unsaved(self.session, Written::Node, lease, after, after);
                    self.unsaved = Some(Box::new(new?));
                }
                Ok(true)
            }
            (Node::Tools, Node::Model) => {
                // A message of the host may have been taken.
                let last = self.session.thread.messages().last();
                let is_answer = matches!(last, Some(ThreadMessage::Tool(_)));
                Ok(is_answer && self.journal.as_ref().is_some_and(Journal::has_all))
            }
            _ => Ok(false),
        }
    }

    /// Saves the session. The first save of a run takes the session's lease, the last one releases it. Fails with a
    /// conflict if another writer continued the session, or holds its lease.
    pub(super) async fn save(&mut self, written: Written) -> Result<(), AgentError> {
        self.unsaved = None;
        let persistence = &self.agent.persistence;
        match (&mut self.lease, written) {
            (None, Written::Start) => self.lease = persistence.start(self.session).await?,
            (None, _) => persistence.put(self.session, written, Lease::None).await?,
            (Some(held), Written::End) => {
                let released = held.released();
                persistence.put(self.session, written, released).await?;
                held.is_over();
            }
            (Some(held), _) => {
                let kept = held.kept();
                persistence.put(self.session, written, kept).await?;
            }
        }
        Ok(())
    }
}
