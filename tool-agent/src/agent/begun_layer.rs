//! The layer that marks calls as begun, for agents without a checkpointer.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_provider::call::{Outcome, StoredOutcome};
use toolwright_runtime::executor::{Handled, Layer, Next, Request, UnknownOutcome};
use toolwright_runtime::tool::BoxFuture;

use super::Agent;
use crate::session::{Begun, BegunCalls};
use crate::store::journal::unknown;

/// Layer of one visit of the tools node. A call that an earlier run began and ended is answered by its outcome. One that did not
/// end runs again if that is harmless; otherwise its outcome is unknown.
#[derive(Clone)]
pub(super) struct BegunLayer {
    marks: Arc<Begun>,
    /// Calls of earlier runs.
    before: Arc<BegunCalls>,
    /// Calls whose recorded outcome was returned once: a layer that makes them again wants another.
    replayed: Arc<Mutex<BTreeSet<String>>>,
    unknown: UnknownOutcome,
}

impl BegunLayer {
    pub(super) fn new(begun: &Begun, unknown: UnknownOutcome) -> Self {
        Self {
            marks: Arc::new(begun.handle()),
            before: Arc::new(begun.calls()),
            replayed: Arc::default(),
            unknown,
        }
    }

    /// Returns the outcome of a call that must not run.
    fn known(&self, key: &str, request: &Request<'_>) -> Option<Handled> {
        match self.before.get(key)? {
            Some(outcome) => {
                let replayed = self.replayed.lock();
                let mut replayed = replayed.unwrap_or_else(PoisonError::into_inner);
                if !replayed.insert(key.to_owned()) {
                    return None;
                }
                for (name, value) in outcome.updates() {
                    request.context().update_state(name.as_str(), value.clone());
                }
                Some(outcome.clone().into_outcome().into())
            }
            None => {
                let tool = request.tool();
                let is_harmless = request.annotations().may_repeat()
                    || self.unknown == UnknownOutcome::RunAgain
                    || (tool.resumes() && Agent::of_tool(&**tool).is_none());
                (!is_harmless).then(|| unknown().into())
            }
        }
    }

    async fn call(&self, request: Request<'_>, next: Next<'_>) -> Handled {
        let has_store = |agent: &Agent| agent.persistence.store().is_ok();
        // The store of an agent of its own has its session.
        if Agent::of_tool(&**request.tool()).is_some_and(has_store) {
            return next.run(request).await;
        }
        if let Some(waits) = request.reapproval() {
            return waits;
        }
        let (cx, call) = (request.context(), request.call().clone());
        let Some(key) = cx.idempotency_key() else {
            return next.run(request).await;
        };
        if let Some(known) = self.known(&key, &request) {
            return known;
        }
        self.marks.begin(&key);
        let handled = next.run(request).await;
        match &handled {
            // The open calls of the session have it.
            Handled::Done(Ok(Outcome::Open { .. })) => self.marks.remove(&key),
            Handled::Done(outcome) => {
                if let Ok(stored) = StoredOutcome::new(&call, outcome) {
                    self.marks.end(&key, stored.with_updates(cx.updates()));
                }
            }
            // The agent in it has begun.
            Handled::Wait(_) => {}
        }
        handled
    }
}

impl Layer for BegunLayer {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(self.call(request, next))
    }
}
