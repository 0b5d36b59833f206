//! What model calls may spend: of the agent's budget, and of those around the call that runs it.

use toolwright_provider::wire::{ToolChoice, Usage};
use toolwright_runtime::tool::Context;
use toolwright_runtime::toolset::Toolset;

use super::{Engine, VisitResult};
use crate::agent::Agent;
use crate::budget::{Budget, Ledger, Left, Spent};
use crate::model::{Model, ModelRequest, ModelResponse};
use crate::run::{AgentError, RunEnd};

/// What one request may spend.
pub(in crate::agent) struct Spending<'a> {
    model: &'a dyn Model,
    /// Those of the agent that runs the session, and of the peer that took over.
    budgets: [Option<&'a Budget>; 2],
    /// Budgets around the call that runs the agent.
    ledger: Option<&'a Ledger>,
}

impl<'a> Spending<'a> {
    /// Returns the name of the model, empty without one; `None` if the model costs nothing.
    pub(in crate::agent) fn model(&self) -> Option<&'a str> {
        (!self.model.is_free()).then(|| self.model.name().unwrap_or_default())
    }

    /// Returns the tokens of the request, as the budget counts them; 0 if nothing limits them.
    pub(in crate::agent) fn needs(&self, request: &ModelRequest<'_>) -> u64 {
        let options = || self.model.definition_options();
        self.counting()
            .map_or(0, |budget| budget.request(request, options()))
    }

    /// The budget by which tokens are counted: the agent's own, or the next one around it. A computed model sends none.
    fn counting(&self) -> Option<&'a Budget> {
        let own = self.budgets.into_iter().flatten().next();
        let counting = own.or_else(|| self.ledger.map(Ledger::budget));
        counting.filter(|_| !self.model.__is_computed())
    }

    /// Reserves the tokens of a request. Returns the end of the run if a budget does not pay for them.
    pub(in crate::agent) fn reserve(
        &self,
        spent: &Spent,
        needs: u64,
    ) -> Result<Option<RunEnd>, AgentError> {
        let model = self.model();
        for own in self.budgets.into_iter().flatten() {
            if let Some(refused) = own.refuses(spent, model, needs)? {
                return Ok(Some(refused));
            }
        }
        let outer = self.ledger.map(|outer| outer.reserve(model, needs));
        Ok(outer.transpose()?.flatten())
    }

    /// Returns what the request took: as the provider reported, or as the budget counts if something limits it. Nothing
    /// without a response.
    pub(in crate::agent) fn settle(&self, needs: u64, response: Option<&ModelResponse>) -> Usage {
        let usage = response.map(|response| match (response.usage, self.counting()) {
            (Some(usage), _) => usage,
            (None, Some(budget)) => Usage::new(needs, budget.response(response)),
            (None, None) => Usage::default(),
        });
        let usage = usage.unwrap_or_default();
        if let Some(outer) = self.ledger {
            outer.settle(self.model(), needs, usage);
        }
        usage
    }
}

impl Agent {
    /// Returns what a request to this agent's model may spend. `limits` is the agent that runs the session.
    pub(in crate::agent) fn spending<'a>(
        &'a self,
        limits: &'a Self,
        host: &'a Context,
    ) -> Spending<'a> {
        let is_peer = !std::ptr::eq(self, limits);
        let peer = self.budget.as_ref().filter(|_| is_peer);
        Spending {
            model: &*self.model,
            budgets: [limits.budget.as_ref(), peer],
            ledger: around(host),
        }
    }
}

/// Returns the budgets around the call that runs the agent. A call in the background has none.
fn around(host: &Context) -> Option<&Ledger> {
    host.get::<Option<Ledger>>()?.as_ref()
}

impl Engine<'_> {
    /// Returns what the next request may spend. A step is limited by its host.
    fn spending(&self) -> Spending<'_> {
        let spending = self.active_agent().spending(self.agent, &self.host);
        if self.is_step {
            return Spending {
                budgets: [None; 2],
                ledger: None,
                ..spending
            };
        }
        spending
    }

    /// Returns the end of the run if a budget is spent, so that no calls run.
    pub(super) fn is_spent(&self) -> VisitResult {
        let Spending {
            budgets, ledger, ..
        } = self.spending();
        for own in budgets.into_iter().flatten() {
            if let Some(spent) = own.is_spent(&self.session.usage)? {
                return Ok(Some(spent));
            }
        }
        Ok(ledger.map(Ledger::is_spent).transpose()?.flatten())
    }

    /// Returns the tokens of the next request, as the budget counts them; 0 if nothing limits them.
    pub(super) fn needs(&self, tools: &Toolset) -> u64 {
        let mut request = ModelRequest::new(&self.session.thread, tools, &ToolChoice::Auto);
        request.system = self.active_agent().system.as_deref();
        self.spending().needs(&request)
    }

    /// Reserves the tokens of the next request. Returns the end of the run if a budget does not pay for them.
    pub(super) fn reserve(&self, needs: u64) -> VisitResult {
        self.spending().reserve(&self.session.usage, needs)
    }

    /// Counts what the request took.
    pub(super) fn settle(&mut self, needs: u64, response: Option<&ModelResponse>) {
        let spending = self.spending();
        let usage = spending.settle(needs, response);
        let model = spending.model().map(str::to_owned);
        self.usage += usage;
        self.session.usage.add(model.as_deref(), usage);
    }

    /// Returns what is left of the agent's budget.
    pub(super) fn left(&self) -> Option<Left> {
        let budget = self.agent.budget.as_ref().filter(|_| !self.is_step);
        budget?.left(self.session).ok()
    }

    /// Returns the budgets around the calls of this session.
    pub(super) fn ledger(&self) -> Option<Ledger> {
        let own = self.spending().budgets.into_iter().flatten();
        own.fold(around(&self.host).cloned(), |around, own| {
            let spent = self.session.usage.clone();
            Some(Ledger::new(own.clone(), spent, around))
        })
    }
}
