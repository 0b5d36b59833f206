use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Budget, Spent};
use crate::run::{AgentError, RunEnd};
use toolwright_provider::wire::Usage;

/// What the agents that a turn's calls run may spend: a budget, what its session has spent, and the ledger around it.
///
/// Calls may run at once, so a request is reserved before it is sent. Sessions get what it took when the calls end.
#[derive(Clone)]
pub(crate) struct Ledger(Arc<Account>);

struct Account {
    budget: Budget,
    spent: Mutex<Spent>,
    outer: Option<Ledger>,
}

impl Ledger {
    pub(crate) fn new(budget: Budget, spent: Spent, outer: Option<Self>) -> Self {
        Self(Arc::new(Account {
            budget,
            spent: Mutex::new(spent),
            outer,
        }))
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.0.budget
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.0.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the end of the run if nothing is left.
    pub(crate) fn is_spent(&self) -> Result<Option<RunEnd>, AgentError> {
        if let Some(outer) = &self.0.outer
            && let Some(end) = outer.is_spent()?
        {
            return Ok(Some(end));
        }
        self.0.budget.is_spent(&self.spent())
    }

    /// Adds what was spent before, and is in no session around it yet.
    pub(crate) fn add(&self, before: &Spent) {
        if let Some(outer) = &self.0.outer {
            outer.add(before);
        }
        *self.spent() += before.clone();
    }

    /// Reserves the tokens of a request. Returns the end of the run if they are not there.
    pub(crate) fn reserve(
        &self,
        model: Option<&str>,
        needs: u64,
    ) -> Result<Option<RunEnd>, AgentError> {
        let outer = self.0.outer.as_ref();
        if let Some(outer) = outer
            && let Some(end) = outer.reserve(model, needs)?
        {
            return Ok(Some(end));
        }
        // Checked and reserved under one lock.
        let mut spent = self.spent();
        let refused = self.0.budget.refuses(&spent, model, needs);
        if let Ok(None) = refused {
            spent.add(model, reserved(needs));
        } else if let Some(outer) = outer {
            outer.settle(model, needs, Usage::default());
        }
        refused
    }

    /// Replaces the reserved tokens by what the request took.
    pub(crate) fn settle(&self, model: Option<&str>, needs: u64, usage: Usage) {
        if let Some(outer) = &self.0.outer {
            outer.settle(model, needs, usage);
        }
        let mut before = Spent::default();
        before.add(model, reserved(needs));
        let mut spent = self.spent();
        *spent = spent.above(&before);
        spent.add(model, usage);
    }
}

fn reserved(needs: u64) -> Usage {
    Usage::new(needs, 0)
}
