//! Budgets: what a conversation may spend, in tokens and in money.
//!
//! What was spent is in the session, by model, so a price that changes applies to all of it. `ledger` lets the agents
//! that calls run spend from the budgets around them.

mod ledger;
mod money;
mod spent;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use self::ledger::Ledger;
pub use self::money::Money;
pub(crate) use self::spent::Spent;
use toolwright_provider::definitions::DefinitionOptions;
use toolwright_provider::wire::{Usage, Wire};
use toolwright_schema::tokens::Tokenizer;

use crate::model::{ModelRequest, ModelResponse};
use crate::run::{AgentError, RunEnd};
use crate::session::Session;
use crate::thread::{Thread, ThreadMessage, wire_name};

/// What a conversation may spend: tokens, money, or both. Without a limit it allows everything.
///
/// [`Agent::budget`](crate::Agent::budget) holds a session to it. All that a [session](Session::usage) has spent counts,
/// in all of its runs, by any agent, and by agents that its calls ran.
///
/// ```
/// use toolwright::agent::testing::ScriptedModel;
/// use toolwright::agent::{Agent, Budget, ModelResponse, budget::{Money, Prices}, RunEnd, Session};
/// use toolwright::wire::Usage;
/// use toolwright::{Context, Toolset};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let answer = ModelResponse::text("Hello.").with_usage(Usage::new(40_000, 1_000));
/// let model = ScriptedModel::new([Ok(answer)]).named("gpt-5");
/// // For a million tokens of requests, and of responses.
/// let prices = Prices::new().model("gpt-5", Money::from_cents(125), Money::from_cents(1_000));
/// let budget = Budget::new().tokens(200_000).money(Money::from_cents(6), prices);
/// let agent = Agent::new(model, &Toolset::default()).budget(budget.clone());
///
/// let mut session = Session::ask("Hi!");
/// let run = agent.run(&mut session, &Context::new()).await.unwrap();
/// assert_eq!(run.left.unwrap().to_string(), "159000 tokens, money 0");
///
/// // The model is not asked again.
/// session.say("And now?").unwrap();
/// let run = agent.run(&mut session, &Context::new()).await.unwrap();
/// assert!(matches!(run.end, RunEnd::Budget { .. }));
/// # });
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until an agent has it"]
pub struct Budget {
    tokens: Option<u64>,
    money: Option<(Money, Arc<Prices>)>,
    tokenizer: Tokenizer,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tokens: None,
            money: None,
            tokenizer: Tokenizer::Bound,
        }
    }
}

/// Prices of models, in money of the host's. A table can be read from JSON:
/// `{"gpt-5": {"input": "1.25", "output": "10", "cached": "0.125"}}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, Price>);

/// Prices of a million tokens of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    input: Money,
    output: Money,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cached: Option<Money>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_written: Option<Money>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<Money>,
}

impl Price {
    /// Creates prices of requests and of responses.
    pub const fn new(input: Money, output: Money) -> Self {
        Self {
            input,
            output,
            cached: None,
            cache_written: None,
            reasoning: None,
        }
    }

    /// Sets the price of the tokens of requests that are read from a cache. Default: that of requests.
    pub const fn cached(self, price: Money) -> Self {
        Self {
            cached: Some(price),
            ..self
        }
    }

    /// Sets the price of the tokens of requests that are written to a cache. Default: that of requests.
    pub const fn cache_written(self, price: Money) -> Self {
        Self {
            cache_written: Some(price),
            ..self
        }
    }

    /// Sets the price of thoughts. Default: that of responses.
    pub const fn reasoning(self, price: Money) -> Self {
        Self {
            reasoning: Some(price),
            ..self
        }
    }

    /// Returns the cost in millionths of the smallest money, so that a sum is exact.
    fn cost(&self, usage: Usage) -> u128 {
        let special = usage.cached.saturating_add(usage.cache_written);
        let counts = [
            (usage.input.saturating_sub(special), self.input),
            (usage.cached, self.cached.unwrap_or(self.input)),
            (
                usage.cache_written,
                self.cache_written.unwrap_or(self.input),
            ),
            (usage.output.saturating_sub(usage.reasoning), self.output),
            (usage.reasoning, self.reasoning.unwrap_or(self.output)),
        ];
        let costs = counts.into_iter();
        let costs = costs.map(|(tokens, price)| u128::from(tokens) * u128::from(price.as_micros()));
        costs.fold(0, u128::saturating_add)
    }
}

/// What is left of a budget. `Display` prints it: `1200 tokens, money 0.35`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Left {
    /// Tokens, if the budget limits them.
    pub tokens: Option<u64>,
    /// Money, if the budget limits it. Rounded down.
    pub money: Option<Money>,
}

impl Prices {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the prices of a million tokens of this model: of requests, and of responses. Tokens in a cache cost the
    /// full price; [`price`](Self::price) tells them apart.
    pub fn model(self, name: impl Into<String>, input: Money, output: Money) -> Self {
        self.price(name, Price::new(input, output))
    }

    /// Sets the prices of this model. The name is that of [`Model::name`](crate::Model::name). The empty name stands for
    /// all models without one.
    pub fn price(mut self, name: impl Into<String>, price: Price) -> Self {
        self.0.insert(name.into(), price);
        self
    }

    /// Returns what the session has cost, rounded up.
    ///
    /// # Errors
    /// Fails if the session has used a model that is not in the table.
    pub fn cost(&self, session: &Session) -> Result<Money, AgentError> {
        self.sum(session.usage.by_model())
    }

    fn sum<'a>(
        &self,
        usages: impl IntoIterator<Item = (&'a str, Usage)>,
    ) -> Result<Money, AgentError> {
        let mut sum = 0_u128;
        for (model, usage) in usages {
            let price = self.0.get(model);
            let price = price.ok_or_else(|| AgentError::NoPrice(model.to_owned()))?;
            sum = sum.saturating_add(price.cost(usage));
        }
        let micros = u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX);
        Ok(Money::from_micros(micros))
    }
}

impl Budget {
    /// Creates a budget without limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the tokens of requests and responses together.
    pub fn tokens(self, most: u64) -> Self {
        Self {
            tokens: Some(most),
            ..self
        }
    }

    /// Limits the money, by these prices. A request to a model without a price is an
    /// [error](AgentError::NoPrice), unless the model [costs nothing](crate::Model::is_free).
    pub fn money(self, most: Money, prices: impl Into<Arc<Prices>>) -> Self {
        Self {
            money: Some((most, prices.into())),
            ..self
        }
    }

    /// Sets how tokens are counted: those of a request before it is sent, and those that a provider does not report.
    /// Default: [`Tokenizer::Bound`], an upper bound of up to twice the tokens of English text. With it, a request may be
    /// refused although the rest would have paid for it.
    pub fn tokenizer(self, tokenizer: Tokenizer) -> Self {
        Self { tokenizer, ..self }
    }

    /// Returns what the session has left.
    ///
    /// # Errors
    /// Fails if the budget limits money, and the session has used a model without a price.
    pub fn left(&self, session: &Session) -> Result<Left, AgentError> {
        self.left_of(&session.usage)
    }

    fn left_of(&self, spent: &Spent) -> Result<Left, AgentError> {
        let money = self.money.as_ref();
        let money = money.map(|(most, prices)| {
            let spent = prices.sum(spent.by_model())?;
            Ok::<_, AgentError>(most.saturating_sub(spent))
        });
        let total = spent.total().total();
        Ok(Left {
            tokens: self.tokens.map(|most| most.saturating_sub(total)),
            money: money.transpose()?,
        })
    }

    /// Returns the end of the run if nothing is left.
    pub(crate) fn is_spent(&self, spent: &Spent) -> Result<Option<RunEnd>, AgentError> {
        let left = self.left_of(spent)?;
        Ok(left.is_empty().then_some(RunEnd::Budget { left, needs: 0 }))
    }

    /// Returns the end of the run if what is left does not pay for a request of so many tokens. A model that costs nothing has no
    /// name here.
    pub(crate) fn refuses(
        &self,
        spent: &Spent,
        model: Option<&str>,
        needs: u64,
    ) -> Result<Option<RunEnd>, AgentError> {
        let left = self.left_of(spent)?;
        let request = Usage::new(needs, 0);
        let cost = self.money.as_ref();
        let cost = cost.map(|(_, prices)| prices.sum(model.map(|model| (model, request))));
        let cost = cost.transpose()?;
        let fits = left.tokens.is_none_or(|left| needs <= left)
            && left.money.zip(cost).is_none_or(|(left, cost)| cost <= left);
        let refused = left.is_empty() || !fits;
        Ok(refused.then_some(RunEnd::Budget { left, needs }))
    }
}

impl Left {
    /// Returns true if nothing is left of one of the limits.
    pub fn is_empty(&self) -> bool {
        self.tokens == Some(0) || self.money == Some(Money::default())
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.tokens, self.money) {
            (Some(tokens), Some(money)) => write!(f, "{tokens} tokens, money {money}"),
            (Some(tokens), None) => write!(f, "{tokens} tokens"),
            (None, Some(money)) => write!(f, "money {money}"),
            (None, None) => f.write_str("no limit"),
        }
    }
}

impl Budget {
    /// Returns the tokens that the request takes, by the budget's tokenizer: of the messages as the model's wire writes them, with
    /// pictures, reasoning that goes back, and all names and braces. `options` are those of the model.
    pub(crate) fn request(
        &self,
        request: &ModelRequest<'_>,
        options: Option<(Wire, DefinitionOptions)>,
    ) -> u64 {
        let count = |text: &str| self.tokenizer.count(text);
        let ModelRequest { thread, system, .. } = request;
        let sent = options
            .as_ref()
            .and_then(|(wire, fit)| wire.definitions_in(request.tools, fit.clone()).ok());
        let messages = match (sent, options) {
            (Some(sent), _) => thread.format_with(&sent, *system),
            (None, Some((wire, _))) => thread.format(wire, *system),
            (None, None) => thread.format(wire_of(thread), *system),
        };
        // A thread that no wire takes is not sent either.
        let messages = messages.map_or(0, |messages| count(&messages));
        let schema = request.schema.map_or(0, |schema| count(schema.as_json()));
        // What is deferred, and was not loaded, is not sent.
        let sent = request.tools.requested();
        let tools = sent.map(|def| def.tokens(self.tokenizer)).sum::<usize>();
        (schema + messages + tools) as u64
    }

    /// Returns the tokens of the response, by the budget's tokenizer.
    pub(crate) fn response(&self, response: &ModelResponse) -> u64 {
        let count = |text: &str| self.tokenizer.count(text);
        let calls = response.calls.iter();
        let calls = calls.map(|call| count(&call.name) + count(&call.arguments));
        let said = count(&response.text) + calls.sum::<usize>();
        let native = response.native.iter().flat_map(|native| &native.messages);
        let native = native.map(|message| count(message)).sum::<usize>();
        said.max(native) as u64
    }
}

/// Returns the wire of the last response that has one. A model that never said its wire is counted by one that takes pictures and
/// sound.
fn wire_of(thread: &Thread) -> Wire {
    let native = thread
        .messages()
        .iter()
        .rev()
        .find_map(|message| match message {
            ThreadMessage::Assistant(said) => said.native.as_ref(),
            _ => None,
        });
    let is_of = |wire: &Wire| native.is_some_and(|native| native.wire == wire_name(*wire));
    Wire::ALL.into_iter().find(is_of).unwrap_or(Wire::Gemini)
}
