use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

#[cfg(feature = "tokio")]
use crate::tool::Cancel;
#[cfg(feature = "tokio")]
use crate::tool::Progress;
#[cfg(feature = "tokio")]
use crate::tool::state;
#[cfg(feature = "tokio")]
use crate::tool::{Caller, RunningBatch};
use crate::tool::{Scope, State};
use toolwright_provider::definitions::Definitions;
use toolwright_schema::decode::{Limits, Repairs};
use toolwright_schema::text::ShortStr;

/// What a tool may know about the call it answers. Cheap to clone.
///
/// The host makes one for a conversation; the runtime adds the call's own id and tool. A tool asks
/// for it with a `#[context]` parameter, which no model sees.
///
/// ```
/// use toolwright::Context;
///
/// struct Tenant(&'static str);
///
/// let cx = Context::new().with_agent("a7").with(Tenant("acme"));
/// assert_eq!(cx.agent_id(), Some("a7"));
/// assert_eq!(cx.get::<Tenant>().map(|tenant| tenant.0), Some("acme"));
/// assert_eq!(cx.call_id(), None);
/// ```
#[derive(Clone)]
pub struct Context {
    shared: Arc<Shared>,
    call: Option<Named>,
    /// The batch that runs, if an executor runs one.
    #[cfg(feature = "tokio")]
    live: Option<Arc<dyn RunningBatch>>,
}

#[derive(Clone, Default)]
struct Shared {
    agent: Option<Arc<str>>,
    session: Option<Arc<str>>,
    run: Option<Arc<str>>,
    /// Of a batch that a call runs: the key of that call.
    within: Option<Arc<str>>,
    turn: Option<u32>,
    called: Option<Arc<[Arc<str>]>>,
    input: Option<Arc<str>>,
    state: State,
    repairs: Repairs,
    lowered: bool,
    limits: Option<Limits>,
    #[cfg(feature = "tokio")]
    stop: Option<Cancel>,
    /// Of a batch or an agent that a call runs: that call.
    #[cfg(feature = "tokio")]
    caller: Option<Caller>,
    extensions: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

#[derive(Clone)]
struct Named {
    index: usize,
    id: ShortStr,
    tool: ShortStr,
}

/// Contexts that know nothing share this, so that making one allocates nothing.
static NOTHING: LazyLock<Arc<Shared>> = LazyLock::new(Arc::default);

impl Default for Context {
    fn default() -> Self {
        Self {
            shared: Arc::clone(&NOTHING),
            call: None,
            #[cfg(feature = "tokio")]
            live: None,
        }
    }
}

impl Context {
    /// A context that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is known.
    #[cfg(feature = "tokio")]
    pub(crate) fn is_new(&self) -> bool {
        Arc::ptr_eq(&self.shared, &NOTHING)
    }

    fn change(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }

    /// The same context, for the agent of this id.
    pub fn with_agent(self, id: impl Into<Arc<str>>) -> Self {
        self.change(|shared| shared.agent = Some(id.into()))
    }

    /// The same context, for the conversation of this id.
    pub fn with_session(self, id: impl Into<Arc<str>>) -> Self {
        self.change(|shared| shared.session = Some(id.into()))
    }

    /// The same context, for the run of this id.
    pub fn with_run(self, id: impl Into<Arc<str>>) -> Self {
        self.change(|shared| {
            shared.run = Some(id.into());
            shared.within = None;
        })
    }

    /// The same context, in the given turn of the run, from 0.
    pub fn with_turn(self, turn: u32) -> Self {
        self.change(|shared| shared.turn = Some(turn))
    }

    /// The same context, with what the user asked last.
    pub fn with_input(self, input: impl Into<Arc<str>>) -> Self {
        self.change(|shared| shared.input = Some(input.into()))
    }

    /// The same context, of a conversation that has called these tools before this turn, in order.
    pub fn with_called<N: Into<Arc<str>>>(self, tools: impl IntoIterator<Item = N>) -> Self {
        let called = tools.into_iter().map(Into::into).collect();
        self.change(|shared| shared.called = Some(called))
    }

    /// The same context, with what the conversation knows.
    pub fn with_state(self, state: State) -> Self {
        self.change(|shared| shared.state = state)
    }

    /// The same context, in which arguments are repaired as far as this; [`Repairs::All`] if nothing is
    /// said. A server takes [`Repairs::Values`] for more than that.
    pub fn with_repairs(self, repairs: Repairs) -> Self {
        self.change(|shared| shared.repairs = repairs)
    }

    /// The same context, of a model that was given the tools in a provider's strict mode. Such modes
    /// know no maps, no tuples and nothing that may be left out: a map is a list of `{"key", "value"}`,
    /// a tuple an object `{"_0", "_1"}`, and `null` stands for what is left out. Arguments are read in
    /// these forms, and in their types' own.
    pub fn with_lowered(self) -> Self {
        self.change(|shared| shared.lowered = true)
    }

    /// Says that the model wrote the arguments for these definitions: [`with_lowered`](Self::with_lowered) where
    /// some schema asks for another form than its tool's.
    pub fn with_definitions(self, sent: &Definitions) -> Self {
        if sent.is_lowered() {
            self.with_lowered()
        } else {
            self
        }
    }

    /// The same context, with other limits on what a call's arguments may be.
    pub fn with_limits(self, limits: Limits) -> Self {
        self.change(|shared| shared.limits = Some(limits.capped()))
    }

    /// The same context with a value of the host's own, found again by its type.
    pub fn with<T: Any + Send + Sync>(self, value: T) -> Self {
        self.change(|shared| {
            shared.extensions.insert(TypeId::of::<T>(), Arc::new(value));
        })
    }

    /// This context, and where it says nothing, what `base` says: a call's over a session's, that
    /// over a default. Values of the host's own go by their types, those of the
    /// [`State`] by their names: a name that both know has this context's value. It repairs what both repair, and
    /// is lowered if one of both is. All of it decides which tools are visible, and all of it reaches the tools.
    ///
    /// This order holds wherever a context is given: to an executor, an agent's run, a server. What a tool
    /// [updates](Self::update_state) goes to the conversation, and to no context: where a call's context says
    /// otherwise under the same name, that stays in force as long as the call's context is given.
    ///
    /// Of two [`Cancel`](crate::Cancel)s this context's counts alone; make it a
    /// [`child`](crate::Cancel::child) of the other for both to count.
    ///
    /// ```
    /// use toolwright::Context;
    ///
    /// let default = Context::new().with_agent("a1").with(5_u8);
    /// let session = Context::new().with_session("s1").with(6_u8).over(&default);
    /// let call = Context::new().with_agent("a2").over(&session);
    /// assert_eq!((call.agent_id(), call.session_id()), (Some("a2"), Some("s1")));
    /// assert_eq!(call.get::<u8>(), Some(&6));
    /// ```
    pub fn over(self, base: &Self) -> Self {
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
            let or = |own: &mut Option<Arc<str>>, base: &Option<Arc<str>>| {
                if own.is_none() {
                    own.clone_from(base);
                }
            };
            or(&mut shared.agent, &below.agent);
            or(&mut shared.session, &below.session);
            if shared.run.is_none() {
                shared.run.clone_from(&below.run);
                shared.within.clone_from(&below.within);
            }
            or(&mut shared.input, &below.input);
            shared.turn = shared.turn.or(below.turn);
            shared.limits = shared.limits.or(below.limits);
            shared.repairs = shared.repairs.min(below.repairs);
            shared.lowered |= below.lowered;
            if shared.called.is_none() {
                shared.called.clone_from(&below.called);
            }
            if !below.state.is_empty() {
                shared.state = shared.state.over(&below.state);
            }
            #[cfg(feature = "tokio")]
            {
                if shared.stop.is_none() {
                    shared.stop.clone_from(&below.stop);
                }
                if shared.caller.is_none() {
                    shared.caller.clone_from(&below.caller);
                }
            }
            for (of, value) in &below.extensions {
                let own = shared.extensions.entry(*of);
                own.or_insert_with(|| Arc::clone(value));
            }
        })
    }

    pub(crate) fn for_call(&self, index: usize, id: ShortStr, tool: ShortStr) -> Self {
        Self {
            call: Some(Named { index, id, tool }),
            ..self.clone()
        }
    }

    /// The call's place in its batch; 0 outside a call.
    pub(crate) fn batch_index(&self) -> usize {
        self.call.as_ref().map_or(0, |call| call.index)
    }

    /// The provider's id of the call; `None` outside a call.
    pub fn call_id(&self) -> Option<&str> {
        self.call.as_ref().map(|call| &*call.id)
    }

    /// The tool's name, as the model called it; `None` outside a call.
    pub fn tool(&self) -> Option<&str> {
        self.call.as_ref().map(|call| &*call.tool)
    }

    /// How far arguments are repaired.
    pub fn repairs(&self) -> Repairs {
        self.shared.repairs
    }

    /// Whether the model was given the tools in a provider's strict mode.
    pub fn is_lowered(&self) -> bool {
        self.shared.lowered
    }

    /// How large a call's arguments may be.
    pub fn limits(&self) -> Limits {
        self.shared.limits.unwrap_or_default()
    }

    /// The agent's id.
    pub fn agent_id(&self) -> Option<&str> {
        self.shared.agent.as_deref()
    }

    /// The conversation's id.
    pub fn session_id(&self) -> Option<&str> {
        self.shared.session.as_deref()
    }

    /// The run's id.
    pub fn run_id(&self) -> Option<&str> {
        self.shared.run.as_deref()
    }

    /// The turn of the run, from 0.
    pub fn turn(&self) -> u32 {
        self.shared.turn.unwrap_or_default()
    }

    /// What the user asked last, if the host said so.
    pub fn input(&self) -> Option<&str> {
        self.shared.input.as_deref()
    }

    /// What the conversation knows; empty if the host gave nothing.
    pub fn state(&self) -> &State {
        &self.shared.state
    }

    /// The host's own value of type `T`.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.shared
            .extensions
            .get(&TypeId::of::<T>())?
            .downcast_ref()
    }

    /// The call's place in its turn, from 0; `None` outside a call.
    pub fn call_index(&self) -> Option<usize> {
        let call = self.call.as_ref()?;
        #[cfg(feature = "tokio")]
        if let Some(live) = &self.live {
            return Some(live.place(call.index));
        }
        Some(call.index)
    }

    /// A key that is the same when this very call is made again, after a crash or a retry, and
    /// differs for all others: run, turn, place in the turn and call id; of a call that another call
    /// makes in a batch of its own, that call's key, place and id. For services that take one,
    /// so that a payment is made once. `None` outside a call, and where the run has no id: without
    /// it, calls of two runs could have one key.
    pub fn idempotency_key(&self) -> Option<String> {
        let (run, call) = (self.run_id()?, self.call.as_ref()?);
        let place = self.call_index()?;
        Some(match &self.shared.within {
            Some(within) => format!("{within}/{place}/{}", call.id),
            None => format!("{run}/{}/{place}/{}", self.turn(), call.id),
        })
    }

    /// What decides which tools this conversation sees.
    pub fn scope(&self) -> Scope<'_> {
        let called = self.shared.called.as_deref().unwrap_or_default();
        let scope = Scope::new(&self.shared.state)
            .with_turn(self.turn())
            .with_called(called);
        match &self.shared.input {
            Some(input) => scope.with_input(input),
            None => scope,
        }
    }
}

#[cfg(feature = "tokio")]
impl Context {
    /// The same context, whose calls end when `stop` is fired.
    pub fn with_cancel(self, stop: Cancel) -> Self {
        self.change(|shared| shared.stop = Some(stop))
    }

    /// What tells this call to stop: it is fired when the host cancels, when the call's time is over,
    /// and when nobody waits for the answer any more. Outside a call it is the host's.
    pub fn cancel(&self) -> Cancel {
        match (&self.live, &self.call) {
            (Some(live), Some(call)) => live.cancel(call.index),
            _ => self.shared.stop.clone().unwrap_or_default(),
        }
    }

    /// Tells whoever looks on how far the call has come. Without an executor nobody does, and after
    /// the call is answered nobody hears it.
    // It is made for the call, as an argument.
    #[allow(clippy::needless_pass_by_value)]
    pub fn progress(&self, progress: Progress) {
        if let (Some(live), Some(call)) = (&self.live, &self.call) {
            live.progress(self, call.index, &call.id, &call.tool, &progress);
        }
    }

    /// Lets the conversation know `value` under `name` from the next turn on, if this call succeeds.
    /// The updates of a turn are made in call order, and stand in
    /// [`Batch::state`](crate::Batch::state); [`state`](Self::state) stays as it is.
    ///
    /// A call that a tool makes with its own context, of a [`Toolset`](crate::Toolset), notes for the
    /// tool's call.
    ///
    /// Says whether it was noted: not without an executor, nor after the call is answered, nor a value of
    /// more than 64 levels, since whoever reads JSON reads no more than 128 and a conversation is stored
    /// around it.
    pub fn update_state(
        &self,
        name: impl Into<String>,
        value: impl Into<serde_json::Value>,
    ) -> bool {
        let value = value.into();
        match (&self.live, &self.call) {
            (Some(live), Some(call)) if state::is_storable(&value) => {
                live.update(call.index, name.into(), value)
            }
            _ => false,
        }
    }

    /// What the call has let the conversation know so far, in order; see
    /// [`update_state`](Self::update_state). Nothing outside a call, and after it is answered.
    pub fn updates(&self) -> Vec<(String, serde_json::Value)> {
        match (&self.live, &self.call) {
            (Some(live), Some(call)) => live.updates(call.index),
            _ => Vec::new(),
        }
    }

    /// How many updates the call has noted.
    pub(crate) fn update_count(&self) -> usize {
        match (&self.live, &self.call) {
            (Some(live), Some(call)) => live.update_count(call.index),
            _ => 0,
        }
    }

    /// Forgets all updates of the call but the first ones.
    pub(crate) fn keep_updates(&self, first: usize) {
        if let (Some(live), Some(call)) = (&self.live, &self.call) {
            live.keep_updates(call.index, first);
        }
    }

    pub(crate) fn in_batch(self, live: Arc<dyn RunningBatch>) -> Self {
        Self {
            live: Some(live),
            ..self
        }
    }

    /// An attempt of the call took longer than it may.
    pub(crate) fn is_late(&self) {
        if let (Some(live), Some(call)) = (&self.live, &self.call) {
            live.is_late(call.index);
        }
    }

    /// Code of the batch's call at this place begins to run away from the batch's task, or has ended there.
    pub(crate) fn runs_elsewhere(&self, index: usize, runs: bool) {
        if let Some(live) = &self.live {
            live.runs_elsewhere(index, runs);
        }
    }

    /// Whether code of the batch's call at this place may run where nobody can stop it.
    pub(crate) fn is_elsewhere(&self, index: usize) -> bool {
        self.live
            .as_ref()
            .is_some_and(|live| live.is_elsewhere(index))
    }

    /// The call that this is the context of, or that runs the batch or the agent that this is for.
    pub(crate) fn caller(&self) -> Option<Caller> {
        match (&self.live, &self.call) {
            (Some(live), Some(call)) => Some(Caller {
                batch: Arc::clone(live),
                index: call.index,
            }),
            _ => self.shared.caller.clone(),
        }
    }

    /// The run's id.
    pub(crate) fn run(&self) -> Option<&Arc<str>> {
        self.shared.run.as_ref()
    }

    /// What a batch knows that a call runs; `None` outside a call. It ends with the call, and its own calls are none of
    /// the batch that the call is in.
    pub(crate) fn of_own_batch(&self) -> Option<Self> {
        self.call.as_ref()?;
        let within = match &self.live {
            Some(live) if live.is_of(self.run()) => self.idempotency_key(),
            _ => None,
        };
        let (stop, caller) = (self.cancel(), self.caller());
        let own = Self {
            shared: Arc::clone(&self.shared),
            call: None,
            live: None,
        };
        Some(own.change(|shared| {
            shared.stop = Some(stop);
            shared.caller = caller;
            shared.within = within.map(Into::into);
        }))
    }

    /// The host's own.
    pub(crate) fn host_cancel(&self) -> Option<&Cancel> {
        self.shared.stop.as_ref()
    }

    /// Whether the host said stop.
    pub(crate) fn cancel_requested(&self) -> bool {
        self.host_cancel().is_some_and(Cancel::is_cancelled)
    }
}

/// What an agent that a call runs knows: what the call does, but for what is its caller's conversation
/// alone. That is the call itself, the agent's id, the session, its run and turn, its input, the tools that
/// it called, and the forms in which its model writes arguments. A context outside a call stays as it is.
pub fn inside_call(cx: &Context) -> Context {
    if cx.call.is_none() {
        return cx.clone();
    }
    #[cfg(feature = "tokio")]
    let (stop, caller) = (cx.cancel(), cx.caller());
    let inside = Context {
        shared: Arc::clone(&cx.shared),
        call: None,
        #[cfg(feature = "tokio")]
        live: None,
    };
    inside.change(|shared| {
        shared.agent = None;
        shared.session = None;
        shared.run = None;
        shared.turn = None;
        shared.called = None;
        shared.input = None;
        shared.within = None;
        shared.lowered = false;
        #[cfg(feature = "tokio")]
        {
            shared.stop = Some(stop);
            shared.caller = caller;
        }
    })
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // State and extensions are the host's, and may be secret.
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
