mod inside;
#[cfg(feature = "tokio")]
mod running;

pub use self::inside::inside_call;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, LazyLock};

#[cfg(feature = "tokio")]
use crate::tool::Cancel;
use crate::tool::state::Values;
use crate::tool::{CallPlace, Filter, Scope, State};
#[cfg(feature = "tokio")]
use crate::tool::{Caller, RunningBatch};
use toolwright_provider::definitions::Definitions;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::Wire;
use toolwright_schema::decode::{Limits, Repairs};
use toolwright_schema::text::ShortStr;

/// Context of a call, as the tool sees it. Cheap to clone.
///
/// The host makes one for a conversation, and the runtime adds the call's id and tool. A tool takes it as a
/// parameter `cx: &Context`, which no model sees; under another name of the type it is marked `#[context]`.
///
/// ```
/// use toolwright::{Context, ToolCall, tool, tools};
///
/// struct Tenant(&'static str);
///
/// /// Says whose account this is.
/// #[tool]
/// fn account(cx: &Context) -> String {
///     cx.get::<Tenant>().map_or("nobody's", |tenant| tenant.0).to_owned()
/// }
///
/// let cx = Context::new().with(Tenant("acme"));
/// let result = tools![account].call_blocking(&ToolCall::new("1", "account", "{}"), &cx);
/// assert_eq!(result.value(), Some("acme".into()));
/// ```
#[derive(Clone)]
pub struct Context {
    shared: Arc<ContextData>,
    call: Option<CallIdentity>,
    /// The running batch, if an executor runs one.
    #[cfg(feature = "tokio")]
    batch: Option<Arc<dyn RunningBatch>>,
}

#[derive(Clone, Default)]
struct ContextData {
    agent: Option<Arc<str>>,
    session: Option<Arc<str>>,
    run: Option<Arc<str>>,
    /// In a batch that a call runs: the key of that call.
    within: Option<Arc<str>>,
    /// The place of the call of its id, which is run here for somebody else.
    place: Option<Arc<CallPlace>>,
    turn: Option<u32>,
    called: Option<Arc<[Arc<str>]>>,
    input: Option<Arc<str>>,
    state: State,
    repairs: Repairs,
    /// The dialect of the request that declared the tools: a tool that its provider refuses is not found.
    declared: Option<(Wire, Dialect)>,
    limits: Option<Limits>,
    /// Filter of the executor that runs the call.
    filter: Option<Filter>,
    conversation: Option<Arc<dyn Any + Send + Sync>>,
    #[cfg(feature = "tokio")]
    stop: Option<Cancel>,
    /// In a batch or an agent that a call runs: that call.
    #[cfg(feature = "tokio")]
    caller: Option<Caller>,
    /// Key of the open call that this code works for.
    #[cfg(feature = "tokio")]
    open: Option<Arc<str>>,
    values: Values,
}

#[derive(Clone)]
struct CallIdentity {
    index: usize,
    id: ShortStr,
    tool: ShortStr,
}

/// Empty contexts share this, so that making one allocates nothing.
static NOTHING: LazyLock<Arc<ContextData>> = LazyLock::new(Arc::default);

impl Default for Context {
    fn default() -> Self {
        Self {
            shared: Arc::clone(&NOTHING),
            call: None,
            #[cfg(feature = "tokio")]
            batch: None,
        }
    }
}

impl Context {
    /// Makes an empty context.
    pub fn new() -> Self {
        Self::default()
    }

    fn change(mut self, change: impl FnOnce(&mut ContextData)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }

    /// Sets the filter of the executor that runs the call.
    #[cfg(feature = "tokio")]
    pub(crate) fn with_filter(self, filter: Option<&Filter>) -> Self {
        if filter.is_none() && self.shared.filter.is_none() {
            return self;
        }
        self.change(|shared| shared.filter = filter.cloned())
    }

    pub(crate) fn filter(&self) -> Option<&Filter> {
        self.shared.filter.as_ref()
    }

    /// Sets the agent's id.
    pub fn with_agent(self, id: impl Into<Arc<str>>) -> Self {
        self.change(|shared| shared.agent = Some(id.into()))
    }

    /// Sets the conversation's id.
    pub fn with_session(self, id: impl Into<Arc<str>>) -> Self {
        self.change(|shared| shared.session = Some(id.into()))
    }

    /// Sets the run's id.
    pub fn with_run(self, id: impl Into<Arc<str>>) -> Self {
        self.change(|shared| {
            shared.run = Some(id.into());
            shared.within = None;
            shared.place = None;
        })
    }

    /// Sets the place of a call that runs here for another process: the call with the place's id has the [idempotency
    /// key](Self::idempotency_key) that it has there. Calls with other ids are not affected.
    ///
    /// ```
    /// use toolwright::call::CallPlace;
    /// use toolwright::{Context, ToolCall, tool, tools};
    ///
    /// /// Pays a bill.
    /// #[tool]
    /// fn pay(bill: u32, cx: &Context) -> Option<String> {
    ///     let _ = bill;
    ///     cx.idempotency_key()
    /// }
    ///
    /// // What the process that was asked sends along with the call:
    /// let place = serde_json::to_string(&CallPlace::new("run_1", 3, 0, "call_1"))?;
    ///
    /// let cx = Context::new().with_place(serde_json::from_str(&place)?);
    /// let call = ToolCall::new("call_1", "pay", r#"{"bill": 7}"#);
    /// let result = tools![pay].call_blocking(&call, &cx);
    /// assert_eq!(result.value(), Some("run_1/3/0/call_1".into()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn with_place(self, place: CallPlace) -> Self {
        self.change(|shared| shared.place = Some(Arc::new(place)))
    }

    /// Sets the turn of the run, from 0.
    pub fn with_turn(self, turn: u32) -> Self {
        self.change(|shared| shared.turn = Some(turn))
    }

    /// Sets the user's last input.
    pub fn with_input(self, input: impl Into<Arc<str>>) -> Self {
        self.change(|shared| shared.input = Some(input.into()))
    }

    /// Sets the tools that the conversation has called before this turn, in order.
    pub fn with_called<N: Into<Arc<str>>>(self, tools: impl IntoIterator<Item = N>) -> Self {
        let called = tools.into_iter().map(Into::into).collect();
        self.change(|shared| shared.called = Some(called))
    }

    /// Sets the conversation's state.
    pub fn with_state(self, state: State) -> Self {
        self.change(|shared| shared.state = state)
    }

    /// Sets the level of repairs. Default: [`Repairs::All`]. A server reduces it to [`Repairs::Values`], and an
    /// [exact](toolwright_provider::call::ToolOptions::exact) tool to [`Repairs::None`]: the strictest level applies.
    pub fn with_repairs(self, repairs: Repairs) -> Self {
        self.change(|shared| shared.repairs = repairs)
    }

    /// Sets the definitions that the model received. `search_tools` does not find tools that they leave out.
    pub fn with_definitions(self, sent: &Definitions) -> Self {
        self.declared_in(sent.wire(), sent.dialect())
    }

    /// Sets how the tools were declared to the model.
    #[doc(hidden)]
    pub fn declared_in(self, wire: Wire, dialect: Dialect) -> Self {
        self.change(|shared| shared.declared = Some((wire, dialect)))
    }

    pub(crate) fn declared(&self) -> Option<(Wire, Dialect)> {
        self.shared.declared
    }

    /// Sets limits on the size of arguments.
    pub fn with_limits(self, limits: Limits) -> Self {
        self.change(|shared| shared.limits = Some(limits.capped()))
    }

    /// Offers the conversation's messages to tools, in the host's own type; see [`conversation`](Self::conversation).
    ///
    /// Default: none. Messages contain the user's text and the arguments of all calls, secret ones too. An agent
    /// replaces the host's value with its own thread or with nothing.
    ///
    /// ```
    /// use toolwright::{Context, ToolCall, tool, tools};
    ///
    /// struct Messages(Vec<String>);
    ///
    /// /// Repeats what was said first.
    /// #[tool]
    /// fn first(cx: &Context) -> Option<String> {
    ///     cx.conversation::<Messages>()?.0.first().cloned()
    /// }
    ///
    /// let call = ToolCall::new("1", "first", "{}");
    /// let cx = Context::new().with_conversation(Messages(vec!["Hello!".into()]));
    /// assert_eq!(tools![first].call_blocking(&call, &cx).value(), Some("Hello!".into()));
    /// ```
    pub fn with_conversation<T: Any + Send + Sync>(self, messages: T) -> Self {
        self.change(|shared| shared.conversation = Some(Arc::new(messages)))
    }

    /// Offers no messages.
    #[doc(hidden)]
    pub fn without_conversation(self) -> Self {
        if self.shared.conversation.is_none() {
            return self;
        }
        self.change(|shared| shared.conversation = None)
    }

    /// Adds a value of the host, which is found again by its type. Rules of visibility read it by [`Scope::get`].
    pub fn with<T: Any + Send + Sync>(self, value: T) -> Self {
        self.change(|shared| shared.values.insert(value, true))
    }

    /// Adds a value of this library for one run or call. It does not identify the caller.
    #[doc(hidden)]
    pub fn __with_own<T: Any + Send + Sync>(self, value: T) -> Self {
        self.change(|shared| shared.values.insert(value, false))
    }

    /// Combines two contexts: this one takes precedence over `base`. A call's context goes over a session's, and that
    /// over a default.
    ///
    /// The host's values are matched by type, those of the [`State`] by name. The stricter limit on repairs applies.
    /// The result decides which tools are visible, and reaches the tools.
    ///
    /// This order holds wherever a context is given: to an executor, an agent's run, a server. A tool's
    /// [updates](Self::update_state) change the conversation's state and no context. If a call's context sets the same
    /// name, its value stays in force while that context is given.
    ///
    /// Only this context's [`Cancel`](crate::tool::Cancel) counts. Make it a [`child`](crate::tool::Cancel::child) of the other one
    /// for both to count.
    ///
    /// ```
    /// use toolwright::Context;
    ///
    /// let default = Context::new().with_agent("a1").with(5_u8);
    /// let session = Context::new().with_session("s1").with(6_u8).with_fallback(&default);
    /// let call = Context::new().with_agent("a2").with_fallback(&session);
    /// assert_eq!((call.agent_id(), call.session_id()), (Some("a2"), Some("s1")));
    /// assert_eq!(call.get::<u8>(), Some(&6));
    /// ```
    pub fn with_fallback(self, base: &Self) -> Self {
        if Arc::ptr_eq(&base.shared, &NOTHING) {
            return self;
        }
        if Arc::ptr_eq(&self.shared, &NOTHING) {
            return Self {
                shared: Arc::clone(&base.shared),
                ..self
            };
        }
        let below = &base.shared;
        self.change(|shared| {
            or(&mut shared.agent, below.agent.as_ref());
            or(&mut shared.session, below.session.as_ref());
            if shared.run.is_none() {
                shared.run.clone_from(&below.run);
                shared.within.clone_from(&below.within);
                or(&mut shared.place, below.place.as_ref());
            }
            or(&mut shared.input, below.input.as_ref());
            shared.turn = shared.turn.or(below.turn);
            shared.limits = shared.limits.or(below.limits);
            shared.repairs = shared.repairs.min(below.repairs);
            shared.declared = shared.declared.or(below.declared);
            or(&mut shared.called, below.called.as_ref());
            or(&mut shared.conversation, below.conversation.as_ref());
            if !below.state.is_empty() {
                shared.state = shared.state.over(&below.state);
            }
            #[cfg(feature = "tokio")]
            {
                or(&mut shared.stop, below.stop.as_ref());
                or(&mut shared.caller, below.caller.as_ref());
            }
            shared.values.add(&below.values);
        })
    }

    pub(crate) fn for_call(&self, index: usize, id: ShortStr, tool: ShortStr) -> Self {
        Self {
            call: Some(CallIdentity { index, id, tool }),
            ..self.clone()
        }
    }

    /// Returns the call's index in its batch; 0 outside a call.
    pub(crate) fn batch_index(&self) -> usize {
        self.call.as_ref().map_or(0, |call| call.index)
    }

    /// Returns the provider's id of the call; `None` outside a call.
    pub fn call_id(&self) -> Option<&str> {
        self.call.as_ref().map(|call| &*call.id)
    }

    /// Returns the tool's name, as the model called it; `None` outside a call.
    pub fn tool(&self) -> Option<&str> {
        self.call.as_ref().map(|call| &*call.tool)
    }

    /// Returns the level of repairs.
    pub fn repairs(&self) -> Repairs {
        self.shared.repairs
    }

    /// Returns the limits on the size of arguments.
    pub fn limits(&self) -> Limits {
        self.shared.limits.unwrap_or_default()
    }

    /// Returns the agent's id.
    pub fn agent_id(&self) -> Option<&str> {
        self.shared.agent.as_deref()
    }

    /// Returns the conversation's id.
    pub fn session_id(&self) -> Option<&str> {
        self.shared.session.as_deref()
    }

    /// Returns the run's id.
    pub fn run_id(&self) -> Option<&str> {
        self.shared.run.as_deref()
    }

    /// Returns the turn of the run, from 0.
    pub fn turn(&self) -> u32 {
        self.shared.turn.unwrap_or_default()
    }

    /// Returns the user's last input, if the host set it.
    pub fn input(&self) -> Option<&str> {
        self.shared.input.as_deref()
    }

    /// Returns the conversation's state; empty if the host set none.
    pub fn session_state(&self) -> &State {
        &self.shared.state
    }

    /// Returns the messages of the conversation that made the call. `None` unless the host offers them as a `T`.
    ///
    /// An agent offers its thread if so configured. Calls that a tool makes with its own context read the conversation
    /// that the tool reads; an agent that a tool runs has a separate conversation.
    pub fn conversation<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.shared.conversation.as_deref()?.downcast_ref()
    }

    /// Returns the host's value of type `T`.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.shared.values.get()
    }

    /// Returns the call's place in its turn, from 0; `None` outside a call.
    pub fn call_index(&self) -> Option<usize> {
        let call = self.call.as_ref()?;
        #[cfg(feature = "tokio")]
        if let Some(batch) = &self.batch {
            return Some(batch.place(call.index));
        }
        Some(call.index)
    }

    /// Returns a key for services that make a payment once, for example. It is the same when this call is made again,
    /// after a crash or a retry, and differs for all other calls.
    ///
    /// It is made of run, turn, place in the turn and call id. In a batch that a call runs, it is made of that call's
    /// key, place and id. `None` outside a call and without a run id, because calls of two runs could share a key.
    pub fn idempotency_key(&self) -> Option<String> {
        self.call_place().map(|place| place.key())
    }

    /// Returns the call's place, for another process that runs the call; see [`with_place`](Self::with_place). `None`
    /// where the call has no [idempotency key](Self::idempotency_key).
    pub fn call_place(&self) -> Option<CallPlace> {
        let (call, index) = (self.call.as_ref()?, self.call_index()?);
        if let Some(place) = &self.shared.place
            && place.id() == &*call.id
        {
            return Some(CallPlace::clone(place));
        }
        let place = match (&self.shared.within, self.run_id()) {
            (Some(within), _) => CallPlace::within(within.to_string(), index, &*call.id),
            (None, Some(run)) => CallPlace::new(run, self.turn(), index, &*call.id),
            (None, None) => return None,
        };
        #[cfg(feature = "tokio")]
        if let Some(batch) = &self.batch {
            return Some(place.attempt(batch.attempt(call.index)));
        }
        Some(place)
    }

    /// Returns the scope, which decides which tools are visible.
    pub fn scope(&self) -> Scope<'_> {
        let called = self.shared.called.as_deref().unwrap_or_default();
        let scope = Scope::new(&self.shared.state)
            .with_turn(self.turn())
            .with_called(called)
            .with_values(&self.shared.values);
        match &self.shared.input {
            Some(input) => scope.with_input(input),
            None => scope,
        }
    }
}

/// Fills a value that is not set.
fn or<T: Clone>(own: &mut Option<T>, base: Option<&T>) {
    if own.is_none() {
        *own = base.cloned();
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // State, messages and values may be secret.
        f.debug_struct("Context")
            .field("agent", &self.agent_id())
            .field("session", &self.session_id())
            .field("run", &self.run_id())
            .field("turn", &self.turn())
            .field("call", &self.call_id())
            .field("tool", &self.tool())
            .finish_non_exhaustive()
    }
}
