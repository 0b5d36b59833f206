mod background;
mod batch;
mod batch_state;
mod blocking;
mod body;
mod call_set;
mod deadline;
mod decided;
mod dispatch;
mod event;
mod exclusive;
mod kept_calls;
mod layer;
mod offloaded;
mod output;
mod paused_call;
mod policy;
mod redacted;
mod resume;
mod runner;
mod scheduler;
mod shared;
mod shown;
mod source;
mod span;
mod trace;
mod turn;
mod waiting;

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use self::batch_state::BatchState;
use self::event::Observers;
use self::exclusive::Admission;
use self::turn::Job;
use crate::tool::{Cancel, Context, Filter, OpenCalls, wait};
use crate::toolset::{ToolEntry, Toolset};
use toolwright_provider::call::ToolDef;
use toolwright_schema::panics::reported;

pub use self::batch::{Batch, Halted, Pending, Reply};
pub use self::blocking::BlockingLimit;
pub use self::decided::DecidedCall;
pub use self::event::{BatchId, Event};
pub use self::exclusive::ExclusiveGate;
#[doc(hidden)]
pub use self::kept_calls::{KeptCall, KeptCalls, ResumedCall};
pub use self::layer::{Handled, Layer, Next, Request};
pub use self::output::{OutputLimit, Overflow};
#[doc(hidden)]
pub use self::paused_call::{KeptState, PausedCall, PausedCalls, StoredState};
pub use self::policy::{Decide, ErrorPolicy, OnFailure, UnknownOutcome};
pub use self::redacted::Redacted;
pub use self::resume::ResumeError;
pub use self::runner::{Runner, RunnerCall};
#[doc(hidden)]
pub use self::shown::{call_bytes, definition_bytes};
pub use self::source::Source;
pub use self::trace::{TraceEvent, TraceStore, Traced, TracedCall};
pub use self::turn::{CallPlan, Turn};
pub use self::waiting::{PendingReason, Question, Waiting};

pub(crate) use self::deadline::pause;

/// Time limit of one call by default.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Number of calls of one turn that may run. Each call beyond it is answered with an error.
const MAX_CALLS: usize = 16_384;

/// Runs the calls of a model's turn: every call is answered once, or listed as pending, whatever
/// happens. Cheap to clone.
///
/// Answers are in call order; [`Event`]s are sent as things happen. A panic, timeout, error or cancellation of one call
/// does not affect another.
///
/// ```
/// use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};
///
/// /// Doubles a number.
/// #[tool]
/// async fn double(n: i64) -> i64 {
///     2 * n
/// }
///
/// let calls = [
///     ToolCall::new("1", "double", r#"{"n": 21}"#),
///     ToolCall::new("2", "duble", "{}"),
/// ];
/// let executor = Executor::parallel(&tools![double], 8);
/// let batch = executor.run_blocking(&calls, &Context::new());
/// let texts: Vec<_> = batch.results().map(|result| result.content(Encoder::auto())).collect();
/// assert_eq!(texts, ["42", "unknown tool `duble`; did you mean `double`?"]);
/// ```
///
/// # Limits of containment
/// A build with `panic = "abort"`, a panic during unwinding and a stack overflow end the program. A `blocking` tool
/// that never returns is answered in time, but its thread is lost unless the body awaits. A synchronous tool that is
/// not `blocking` holds up its batch.
///
/// If the program ends between a tool's effect and its record, it cannot know whether the effect happened.
#[derive(Clone)]
pub struct Executor {
    source: Source,
    at_once: NonZeroUsize,
    timeout: Option<Duration>,
    batch_timeout: Option<Duration>,
    manual: Option<Arc<IsManual>>,
    filter: Option<Filter>,
    on_error: ErrorPolicy,
    unknown_outcome: Option<UnknownOutcome>,
    layers: Vec<Arc<dyn Layer>>,
    runner: Option<Arc<dyn Runner>>,
    exclusive: Option<ExclusiveGate>,
    open_calls: Option<OpenCalls>,
    observers: Observers,
    output: Option<OutputLimit>,
    has_content: bool,
    blocking: BlockingLimit,
}

/// Returns true for tools whose calls the executor leaves to the host.
type IsManual = dyn Fn(&ToolDef) -> bool + Send + Sync;

impl Executor {
    /// Makes an executor that runs one call after the other, in call order.
    pub fn serial(tools: impl Into<Source>) -> Self {
        Self {
            source: tools.into(),
            at_once: NonZeroUsize::MIN,
            timeout: Some(TIMEOUT),
            batch_timeout: None,
            manual: None,
            filter: None,
            on_error: ErrorPolicy::Continue,
            unknown_outcome: None,
            layers: Vec::new(),
            runner: None,
            exclusive: None,
            open_calls: None,
            observers: Observers::default(),
            output: None,
            has_content: false,
            blocking: BlockingLimit::process(),
        }
    }

    /// Makes an executor that runs at most `at_once` calls at once; 0 counts as 1. An `exclusive` tool waits for all calls
    /// before it, and all calls after it wait for it.
    pub fn parallel(tools: impl Into<Source>, at_once: usize) -> Self {
        Self {
            at_once: NonZeroUsize::new(at_once).unwrap_or(NonZeroUsize::MIN),
            ..Self::serial(tools)
        }
    }

    /// Sets the time limit of one call; `None` removes it. Default: 30 s. A tool's own `timeout` takes precedence. Layers
    /// have no limit: an approval may take its time.
    ///
    /// A call whose time is over is answered with a [timeout](toolwright_provider::call::ErrorKind::Timeout). Its
    /// [outcome is unknown](toolwright_provider::call::ToolError::is_outcome_unknown) if it had begun, unless its tool
    /// [resumes](crate::tool::Tool::resumes): its code may have moved work to another task or thread.
    ///
    /// Time limits need the clock of a tokio runtime; without one there are none.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout = limit.into();
        self
    }

    /// Returns the time limit of a call of this tool: its own `timeout`, or the executor's.
    #[doc(hidden)]
    pub fn time_limit(&self, def: &ToolDef) -> Option<Duration> {
        def.options.timeout.or(self.timeout)
    }

    /// Sets the time limit of a batch. Default: none. Calls that have not ended by then are answered with a timeout.
    pub fn batch_timeout(mut self, limit: Duration) -> Self {
        self.batch_timeout = Some(limit);
        self
    }

    /// Sets the limit on bodies of `blocking` tools in flight, shared by all executors that have it. Default: 256 for
    /// the process; see [`BlockingLimit`].
    pub fn blocking_limit(mut self, limit: &BlockingLimit) -> Self {
        self.blocking = limit.clone();
        self
    }

    /// Lets calls of `exclusive` tools run alone in all batches behind this gate, for servers that run each call as a batch of
    /// its own. Default: an exclusive call is alone in its batch.
    ///
    /// A batch with an exclusive call waits until no other batch runs. Other batches wait for a running exclusive one, and not
    /// for a waiting one: a tool whose body makes calls through the gate is not blocked by a third, exclusive call. In return,
    /// an exclusive call may wait as long as other calls keep coming. Calls that have waited for the longest of their time
    /// limits are answered with a timeout, so an exclusive tool that makes calls through its own gate does not wait for ever.
    ///
    /// The code of an open call does not hold the gate.
    ///
    /// ```
    /// use toolwright::{Executor, Toolset, executor::ExclusiveGate};
    ///
    /// let gate = ExclusiveGate::default();
    /// let tenant = |tools: &Toolset| Executor::serial(tools).exclusive_across(&gate);
    /// ```
    pub fn exclusive_across(mut self, gate: &ExclusiveGate) -> Self {
        self.exclusive = Some(gate.clone());
        self
    }

    /// Leaves the calls of these tools to the host, as those of a [`manual`](toolwright_provider::call::ToolOptions::manual)
    /// tool. If the closure panics, the call is left to the host.
    pub fn manual(mut self, is_manual: impl Fn(&ToolDef) -> bool + Send + Sync + 'static) -> Self {
        self.manual = Some(Arc::new(is_manual));
        self
    }

    /// Adds a filter: a conversation sees and calls only tools that pass it, all earlier filters, and their own
    /// visibility.
    pub fn filter(self, filter: Filter) -> Self {
        let filter = match self.filter {
            Some(filters) => filters.and(filter),
            None => filter,
        };
        Self {
            filter: Some(filter),
            ..self
        }
    }

    /// Sets the policy for calls that fail. Default: [`ErrorPolicy::Continue`].
    pub fn on_error(mut self, policy: ErrorPolicy) -> Self {
        self.on_error = policy;
        self
    }

    /// Sets the policy for calls whose outcome is unknown: a tool, a transport or a
    /// [`Runner`](crate::executor::Runner) has answered with such an
    /// [error](toolwright_provider::call::ToolError::is_outcome_unknown), or the time of a call that cannot be stopped is
    /// over. Default: [`UnknownOutcome::Fail`], and [`UnknownOutcome::Ask`] in an agent.
    ///
    /// ```
    /// use toolwright::call::Decision;
    /// use toolwright::executor::{PendingReason, UnknownOutcome};
    /// use toolwright::{Context, Executor, ToolCall, ToolError, tool, tools};
    ///
    /// /// Pays a bill.
    /// #[tool]
    /// fn pay(bill: u32) -> Result<String, ToolError> {
    ///     Err(ToolError::failed(format!("the bank did not confirm bill {bill}")).with_outcome_unknown())
    /// }
    ///
    /// let executor = Executor::serial(tools![pay]).on_unknown_outcome(UnknownOutcome::Ask);
    /// let cx = Context::new();
    /// let calls = [ToolCall::new("1", "pay", r#"{"bill": 7}"#)];
    /// let batch = executor.run_blocking(&calls, &cx);
    /// let pending = batch.pending().next().unwrap();
    /// assert!(matches!(pending.reason, PendingReason::OutcomeUnknown(_)));
    ///
    /// // A person looked at the account.
    /// let decided = pending.with_decision(Decision::Answer("paid".into()));
    /// let batch = executor.run_blocking(&[decided], &cx);
    /// assert_eq!(batch.results().next().unwrap().value(), Some("paid".into()));
    /// ```
    pub fn on_unknown_outcome(mut self, policy: UnknownOutcome) -> Self {
        self.unknown_outcome = Some(policy);
        self
    }

    /// Returns the [policy](Self::on_unknown_outcome) for calls whose outcome is unknown, if it was set.
    #[doc(hidden)]
    pub fn unknown_outcome(&self) -> Option<UnknownOutcome> {
        self.unknown_outcome
    }

    /// Adds a layer inside all earlier ones: the first layer sees a call first and its answer last.
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// Sets the host's code that runs the calls, behind all layers; see [`Runner`]. Default: the tools' own code runs.
    pub fn runner(mut self, runner: impl Runner + 'static) -> Self {
        self.runner = Some(Arc::new(runner));
        self
    }

    /// Sets the owner of calls that stay open. Default: none, and `background` tools run like other tools, as in
    /// [`run_blocking`](Self::run_blocking). An agent sets its session's.
    pub fn open_calls(mut self, open: impl Into<OpenCalls>) -> Self {
        self.open_calls = Some(open.into());
        self
    }

    /// Returns the executor of the code of an open call, which has passed all layers but those that are about the work.
    fn of_background(&self, entry: &ToolEntry, limit: Duration) -> Self {
        Self {
            source: Toolset::of_distinct(vec![Arc::clone(entry.tool())], &[]).into(),
            timeout: Some(limit),
            batch_timeout: None,
            filter: None,
            layers: (self.layers.iter())
                .filter(|layer| layer.is_about_work())
                .cloned()
                .collect(),
            exclusive: None,
            open_calls: None,
            ..self.clone()
        }
    }

    /// Adds a closure that receives each [`Event`], on the thread where it happens. Move slow work elsewhere. A panic of the
    /// closure changes nothing and is [reported](toolwright_schema::panics::capture).
    ///
    /// ```
    /// use toolwright::{Executor, Toolset, executor::Event};
    ///
    /// let executor = Executor::serial(&Toolset::default()).on_event(|event| {
    ///     if let Event::Finished { result, .. } = event {
    ///         println!("{} took {:?}", result.name, result.duration);
    ///     }
    /// });
    /// ```
    pub fn on_event(mut self, receive: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        self.observers.add(Arc::new(receive));
        self
    }

    /// Sets a limit on the length of answers. Default: none.
    pub fn output_limit(mut self, limit: OutputLimit) -> Self {
        self.output = Some(limit);
        self
    }

    /// Records redacted arguments and results in spans: `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result`.
    /// Default: neither.
    ///
    /// With the feature `tracing` each call has a span, by [OpenTelemetry's
    /// conventions](https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/). The span `execute_tool {name}`
    /// has `gen_ai.operation.name`, `gen_ai.tool.name` and `gen_ai.tool.call.id`; a failed call has `error.type`. It is
    /// entered wherever the tool's code runs.
    pub fn content_in_spans(mut self) -> Self {
        self.has_content = true;
        self
    }

    /// See [`Toolset::check_examples`].
    #[doc(hidden)]
    pub fn check_examples(&self) -> Result<(), String> {
        self.source.check_examples()
    }

    /// Returns the tools that a conversation may see, in order: those to offer to the model next.
    pub fn tools(&self, cx: &Context) -> Toolset {
        let cx = known(cx);
        let scope = cx.scope();
        self.source
            .tools(&scope)
            .visible_to(&scope, self.filter.as_ref())
    }

    /// Returns true if every call of this tool waits for a decision: the tool is manual, here or in its definition, it
    /// [needs an approval](toolwright_provider::call::ToolOptions::needs_approval), or a layer [requires
    /// one](Layer::requires_approval), as [`Approval`](crate::layers::Approval) does for levels and annotations. A
    /// decision of [`Approval::when`](crate::layers::Approval::when) depends on the call's arguments and is not
    /// included.
    ///
    /// ```
    /// use toolwright::{Executor, ToolDef, Toolset, layers::Approval};
    ///
    /// let executor = Executor::serial(Toolset::default()).layer(Approval::default());
    /// let mut def = ToolDef::new("remove", "Removes a file.");
    /// assert!(!executor.requires_approval(&def));
    /// def.options.annotations.destructive = Some(true);
    /// assert!(executor.requires_approval(&def));
    /// ```
    #[doc(hidden)]
    pub fn requires_approval(&self, def: &ToolDef) -> bool {
        // A layer that cannot say it asks.
        let asks = |layer: &Arc<dyn Layer>| {
            let says = || layer.requires_approval(def);
            reported("a layer's `requires_approval`", says).unwrap_or(true)
        };
        def.options.manual
            || def.options.needs_approval
            || self.is_manual(def)
            || self.layers.iter().any(asks)
    }

    fn is_manual(&self, def: &ToolDef) -> bool {
        let is_manual = self.manual.as_ref();
        is_manual.is_some_and(|says| reported("`manual`", || says(def)).unwrap_or(true))
    }

    /// Runs the calls of a turn against one snapshot of the tools: calls of a model, calls with [plans](CallPlan), or pending
    /// calls with [decisions](DecidedCall).
    ///
    /// Tools that are not `blocking` run on the task that awaits the batch. Dropping the future cancels
    /// all calls and reports that to observers.
    ///
    /// A tool may run another batch with its call's context. That batch ends when the call is cancelled, and its calls
    /// have different [idempotency keys](Context::idempotency_key).
    ///
    /// # Decided calls
    /// They were pending: for a person, the host ([`manual`](Self::manual) tools) or a [`Layer`]. Give only decided calls;
    /// [`Batch::resume`] merges the answers with those of the first batch.
    ///
    /// An approved call runs with the arguments that were shown. Edited arguments are decoded and validated like those
    /// of a model. Layers see both, and do not ask again if [`Request::is_approved`] is true, while the arguments stay
    /// the same.
    ///
    /// A rejected or answered call does not run. Each call is answered once or is pending again, and indices of the
    /// returned batch are those of the decisions. A tool that was hidden or removed meanwhile is refused.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwright::{Context, DynTool, Executor, ToolCall, ToolError, ToolOptions, Toolset, call::Decision};
    ///
    /// let charge = DynTool::builder()
    ///     .name("charge")
    ///     .description("Charges a card.")
    ///     .options(ToolOptions::new().manual(true))
    ///     .handler_sync(|_: serde_json::Value, _cx| Ok::<_, ToolError>("charged"))
    ///     .build()
    ///     .unwrap();
    /// let executor = Executor::serial(Toolset::new([charge]).unwrap());
    /// let cx = Context::new();
    /// let calls = [ToolCall::new("1", "charge", "{}"), ToolCall::new("2", "charge", "{}")];
    /// let batch = executor.run_blocking(&calls, &cx);
    /// let says = [Decision::Approve, Decision::Reject("too costly".into())];
    /// let decided: Vec<_> =
    ///     batch.pending().zip(says).map(|(pending, says)| pending.with_decision(says)).collect();
    /// let batch = executor.run_blocking(&decided, &cx);
    /// let texts: Vec<_> = batch.results().map(|result| result.content(Default::default())).collect();
    /// assert_eq!(texts, ["charged", "the call was rejected: too costly"]);
    /// ```
    pub async fn run<'a>(&self, turn: impl Into<Turn<'a>>, cx: &Context) -> Batch {
        self.go(&turn.into(), cx).await
    }

    async fn go(&self, turn: &Turn<'_>, cx: &Context) -> Batch {
        let cx = &known(cx);
        let tools = self.source.tools(&cx.scope());
        let is_filtered = self.filter.is_some() || cx.filter().is_some();
        let cx = &if is_filtered {
            // The search is exempt: this filter applies to the tools that it finds.
            Cow::Owned(cx.clone().into_owned().with_filter(self.filter.as_ref()))
        } else {
            Cow::Borrowed(&**cx)
        };
        let calls = turn.calls.iter().enumerate();
        let today = calls.map(|(index, call)| {
            let is_stored = turn.plan(index).is_stored();
            tools.call_of_today(call, is_stored, cx, self.filter.as_ref())
        });
        let today: Vec<_> = if tools.has_old_names() {
            today.collect()
        } else {
            Vec::new()
        };
        let mut state = BatchState::open(self, turn, cx);
        if cx.cancel_requested() {
            state.cancelled();
            dispatch::leave(turn, &mut state);
            return state.close();
        }
        let jobs = dispatch::dispatch(self, &tools, turn, &today, cx, &mut state);
        let stop = cx.host_cancel().cloned();
        let _permit = match self.admit(&jobs, stop.as_ref()).await {
            Admission::Admitted(permit) => permit,
            Admission::Cancelled => {
                state.cancelled();
                return state.close();
            }
            Admission::TimedOut(waited) => {
                dispatch::late(&jobs, waited, &mut state);
                return state.close();
            }
        };
        let batch = scheduler::run_jobs(self, jobs, state, stop);
        // Tokio's cooperative budget protects other tasks. A batch is many tasks in one, and its calls yield to each
        // other.
        tokio::task::unconstrained(batch).await
    }

    /// Waits at the gate, for the longest time limit of the calls at most.
    async fn admit(&self, jobs: &[Job<'_>], stop: Option<&Cancel>) -> Admission<'_> {
        let Some(gate) = self.exclusive.as_ref().filter(|_| !jobs.is_empty()) else {
            return Admission::Admitted(None);
        };
        let is_exclusive = jobs.iter().any(|job| job.entry.options().exclusive);
        let limits = jobs.iter().map(|job| self.time_limit(job.entry.def()));
        let limit = limits
            .max_by_key(|limit| limit.unwrap_or(Duration::MAX))
            .flatten();
        gate.admit(is_exclusive, limit, stop).await
    }

    /// Runs the calls of a turn as [`run`](Self::run) does, and blocks this thread meanwhile, inside a runtime too.
    pub fn run_blocking<'a>(&self, turn: impl Into<Turn<'a>>, cx: &Context) -> Batch {
        self.go_blocking(&turn.into(), cx)
    }

    fn go_blocking(&self, turn: &Turn<'_>, cx: &Context) -> Batch {
        if self.open_calls.is_some() {
            // The runtime of this batch ends with it.
            let waits = Self {
                open_calls: None,
                ..self.clone()
            };
            return waits.go_blocking(turn, cx);
        }
        match wait(self.go(turn, cx)) {
            Ok(batch) => batch,
            Err(error) => {
                let cx = &known(cx);
                let mut state = BatchState::open(self, turn, cx);
                dispatch::leave(turn, &mut state);
                state.answer_open_calls(&error);
                state.close()
            }
        }
    }
}

/// Returns the context of a batch.
fn known(cx: &Context) -> Cow<'_, Context> {
    cx.of_own_batch().map_or(Cow::Borrowed(cx), Cow::Owned)
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("at_once", &self.at_once)
            .field("timeout", &self.timeout)
            .field("batch_timeout", &self.batch_timeout)
            .field("on_error", &self.on_error)
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}
