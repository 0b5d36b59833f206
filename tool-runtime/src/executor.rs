mod batch;
mod blocking;
mod body;
mod books;
mod clock;
mod decided;
mod drive;
mod elsewhere;
mod event;
mod layer;
mod live;
mod output;
mod policy;
mod redacted;
mod resume;
mod running;
mod sort;
mod source;
mod span;
mod trace;
mod turns;

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use self::books::Books;
use self::event::Observers;
use self::sort::Plan;
use crate::tool::{Context, Filter, wait};
use crate::toolset::Toolset;
use toolwright_provider::call::{Encoder, ToolCall, ToolDef};
use toolwright_schema::text::ShortStr;

pub use self::batch::{Batch, Halted, Pending, PendingReason, Reply};
pub use self::blocking::BlockingLimit;
pub use self::decided::Decided;
pub use self::event::{BatchId, Event, Observer};
pub use self::layer::{Handled, Layer, Next, Request};
pub use self::output::{OutputLimit, Overflow};
pub use self::policy::{Decide, ErrorPolicy, OnFailure, UnknownPolicy};
pub use self::redacted::Redacted;
pub use self::resume::ResumeError;
pub use self::sort::CallPlan;
pub use self::source::Source;
pub use self::trace::{TraceEvent, TraceKind, TraceStore, Traced, TracedCall};

pub(crate) use self::clock::pause;

/// How long a call may take where nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How many calls of a turn may run where nothing else is said.
const MAX_CALLS: usize = 16_384;

/// Runs the calls of a model's turn: every call is answered once, or listed as pending, whatever
/// happens. Cheap to clone.
///
/// Answers stand in call order; [`Event`]s come as things happen. A call's panic, time limit, error
/// or cancellation concerns no other call.
///
/// ```
/// use toolwright::{Context, DynTool, Executor, ToolCall, ToolError, Toolset};
///
/// let double = DynTool::builder()
///     .name("double")
///     .description("Doubles numbers.")
///     .typed_sync(|n: std::collections::BTreeMap<String, i64>, _cx| {
///         Ok::<_, ToolError>(n.into_values().map(|n| 2 * n).sum::<i64>())
///     })
///     .build()
///     .unwrap();
/// let tools = Toolset::new([double]).unwrap();
/// let calls = [
///     ToolCall::new("1", "double", r#"{"n": 21}"#),
///     ToolCall::new("2", "duble", "{}"),
/// ];
/// let executor = Executor::parallel(&tools, 8);
/// let batch = executor.run_blocking(&calls, &Context::new());
/// let texts: Vec<_> = batch.results().map(|result| result.content(Default::default())).collect();
/// assert_eq!(texts, ["42", "unknown tool `duble`; did you mean `double`?"]);
/// ```
///
/// # What cannot be contained
/// A build with `panic = "abort"`, a panic while another one unwinds, a stack that overflows: they
/// end the program. A thread that never returns: its call is answered in time if the tool is
/// `blocking`, and the thread is lost, unless the body awaits; a synchronous tool that is not
/// `blocking` holds up its batch. And the moment between what a tool did and the record of it: a
/// program that ends there cannot know whether it happened.
#[derive(Clone)]
pub struct Executor {
    source: Source,
    at_once: NonZeroUsize,
    timeout: Option<Duration>,
    batch_timeout: Option<Duration>,
    manual: Manual,
    filter: Option<Filter>,
    context: Context,
    on_error: ErrorPolicy,
    on_unknown: UnknownPolicy,
    layers: Vec<Arc<dyn Layer>>,
    observers: Observers,
    output: Option<OutputLimit>,
    encoder: Option<Encoder>,
    has_content: bool,
    blocking: BlockingLimit,
    max_calls: usize,
}

/// Which tools' calls the executor leaves to the host.
#[derive(Clone, Default)]
enum Manual {
    #[default]
    None,
    All,
    Named(Vec<Arc<str>>),
}

impl Executor {
    /// One call after the other, in call order.
    pub fn serial(tools: impl Into<Source>) -> Self {
        Self::new(tools.into(), NonZeroUsize::MIN)
    }

    /// As many calls at once as `at_once`. A tool that is `exclusive` waits for all calls before it,
    /// and all after it wait for it.
    ///
    /// # Panics
    /// When `at_once` is 0; see [`try_parallel`](Self::try_parallel) for a number that comes from
    /// elsewhere.
    #[track_caller]
    pub fn parallel(tools: impl Into<Source>, at_once: usize) -> Self {
        match Self::try_parallel(tools, at_once) {
            Some(executor) => executor,
            None => panic!("an executor that runs 0 calls at once runs none"),
        }
    }

    /// The same; `None` when `at_once` is 0.
    pub fn try_parallel(tools: impl Into<Source>, at_once: usize) -> Option<Self> {
        Some(Self::new(tools.into(), NonZeroUsize::new(at_once)?))
    }

    fn new(source: Source, at_once: NonZeroUsize) -> Self {
        Self {
            source,
            at_once,
            timeout: Some(TIMEOUT),
            batch_timeout: None,
            manual: Manual::None,
            filter: None,
            context: Context::new(),
            on_error: ErrorPolicy::Continue,
            on_unknown: UnknownPolicy::Report,
            layers: Vec::new(),
            observers: Observers::default(),
            output: None,
            encoder: None,
            has_content: false,
            blocking: BlockingLimit::process(),
            max_calls: MAX_CALLS,
        }
    }

    /// Sets how many calls of one turn may run. Default: 16,384.
    ///
    /// Each call beyond that is answered with an error that says that it did not run; the others run.
    pub fn max_calls(self, most: usize) -> Self {
        Self {
            max_calls: most,
            ..self
        }
    }

    /// The same executor, in which a tool's code may run so long for one call; 30 s if nothing is
    /// said. A tool's own `timeout` goes before. Layers are not limited: an approval may take its
    /// time.
    ///
    /// Time limits need the clock of a tokio runtime; without one they are not kept.
    pub fn timeout(self, limit: Duration) -> Self {
        Self {
            timeout: Some(limit),
            ..self
        }
    }

    /// The same executor, in which only tools with a `timeout` of their own have a time limit.
    pub fn no_timeout(self) -> Self {
        Self {
            timeout: None,
            ..self
        }
    }

    /// How long a call of this tool may take: by its own `timeout`, else by the executor's.
    pub fn time_limit(&self, def: &ToolDef) -> Option<Duration> {
        def.timeout.or(self.timeout)
    }

    /// The same executor, in which a batch takes no longer: calls that have not ended by then are
    /// answered with a timeout. Not limited if nothing is said.
    pub fn batch_timeout(self, limit: Duration) -> Self {
        Self {
            batch_timeout: Some(limit),
            ..self
        }
    }

    /// The same executor, which runs no more bodies of `blocking` tools at once than this limit lets it, together with
    /// all others that have it. All share one of 256 if nothing is said; see [`BlockingLimit`].
    pub fn blocking_limit(self, limit: &BlockingLimit) -> Self {
        Self {
            blocking: limit.clone(),
            ..self
        }
    }

    /// The same executor, which leaves all calls to the host.
    pub fn manual(self) -> Self {
        Self {
            manual: Manual::All,
            ..self
        }
    }

    /// The same executor, which leaves the calls of these tools to the host.
    pub fn manual_for<N: Into<Arc<str>>>(self, names: impl IntoIterator<Item = N>) -> Self {
        Self {
            manual: Manual::Named(names.into_iter().map(Into::into).collect()),
            ..self
        }
    }

    /// The same executor, in which a conversation sees and calls only tools that pass the filter,
    /// beside what the tools themselves say; and all filters that it has already.
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

    /// The same executor, with what its batches know where their own context says nothing; see
    /// [`Context::over`].
    pub fn context(self, cx: Context) -> Self {
        Self {
            context: cx,
            ..self
        }
    }

    /// The same executor, with what it does about a failure.
    pub fn on_error(self, policy: ErrorPolicy) -> Self {
        Self {
            on_error: policy,
            ..self
        }
    }

    /// The same executor, with what it does about a call of no tool that is there.
    pub fn on_unknown(self, policy: UnknownPolicy) -> Self {
        Self {
            on_unknown: policy,
            ..self
        }
    }

    /// The same executor, with a layer further in than all that it has: the first one sees a call
    /// first and its answer last.
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// The same executor, with one more who looks on: a closure `|event: &Event<'_>| …`.
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.add(Arc::new(observer));
        self
    }

    /// The same executor, which cuts answers that are too long for a model.
    pub fn output_limit(self, limit: OutputLimit) -> Self {
        Self {
            output: Some(limit),
            ..self
        }
    }

    /// The same executor, for a host whose answers this encoder will write: a value that it cannot
    /// write is the call's [`Encoding`](crate::ErrorKind::Encoding) error, which the
    /// [policy](Self::on_error) sees. Without it a [custom](Encoder::custom) encoder's failure is
    /// told to the model, and the turn goes on.
    pub fn encoder(self, encoder: Encoder) -> Self {
        Self {
            encoder: Some(encoder),
            ..self
        }
    }

    /// The same executor, whose spans hold what calls were given, without secrets, and what came of
    /// them: `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result`. Without it they hold neither.
    ///
    /// With the feature `tracing` each call has a span of the crate of that name, by
    /// [OpenTelemetry's conventions](https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/):
    /// `execute_tool {name}` with `gen_ai.operation.name`, `gen_ai.tool.name`, `gen_ai.tool.call.id`
    /// and, of a call that failed, `error.type`. It is entered wherever the tool's code runs.
    pub fn content_in_spans(self) -> Self {
        Self {
            has_content: true,
            ..self
        }
    }

    /// The tools that a conversation may see, in order: what a model is to be told next.
    pub fn tools(&self, cx: &Context) -> Toolset {
        let cx = self.known(cx);
        let scope = cx.scope();
        self.source
            .tools(&scope)
            .seen_by(&scope, self.filter.as_ref())
    }

    /// What a batch knows.
    fn known<'a>(&self, cx: &'a Context) -> Cow<'a, Context> {
        let cx = cx.of_own_batch().map_or(Cow::Borrowed(cx), Cow::Owned);
        if self.context.is_new() {
            cx
        } else {
            Cow::Owned(cx.into_owned().over(&self.context))
        }
    }

    fn is_manual(&self, name: &ShortStr) -> bool {
        match &self.manual {
            Manual::None => false,
            Manual::All => true,
            Manual::Named(names) => names.iter().any(|manual| name == manual),
        }
    }

    /// Runs the calls of a turn, on one state of the tools.
    ///
    /// Tools that are neither `blocking` nor `spawn` run on the task that awaits the batch. Dropping
    /// the future ends all calls; observers learn that they were cancelled.
    ///
    /// A tool may run a batch of its own with its call's context: that ends when the call is told to
    /// stop, and its calls have [idempotency keys](Context::idempotency_key) of their own.
    pub async fn run(&self, calls: &[ToolCall], cx: &Context) -> Batch {
        self.run_planned(calls, &[], cx).await
    }

    /// The same for a turn that was paused: `plans` says of each call, by its place, whether it is to
    /// run now; of calls that it says nothing about, [`CallPlan::Run`].
    pub async fn run_planned(&self, calls: &[ToolCall], plans: &[CallPlan], cx: &Context) -> Batch {
        self.go(Turn::planned(calls, plans), cx).await
    }

    /// Goes on with calls of a turn that waited: for a person or the host since their tools are
    /// [`manual`](Self::manual), or for a [`Layer`]. What is not decided is not given.
    ///
    /// A call that is approved runs with the arguments that were redacted; one that is edited with the
    /// new ones, which are read and validated like those of a model. Layers see both, and learn by
    /// [`Request::is_approved`] that they need not ask again, as long as the arguments are these.
    /// A call that is rejected or answered does not run. Each is answered once, or waits again; the
    /// places in the batch that comes back are those in `decided`. What was hidden or taken away in
    /// between is refused.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwright::{Context, Decision, DynTool, Executor, ToolCall, ToolError, Toolset};
    ///
    /// let charge = DynTool::builder()
    ///     .name("charge")
    ///     .description("Charges a card.")
    ///     .manual(true)
    ///     .handler_sync(|_: serde_json::Value, _cx| Ok::<_, ToolError>("charged"))
    ///     .build()
    ///     .unwrap();
    /// let executor = Executor::serial(Toolset::new([charge]).unwrap());
    /// let cx = Context::new();
    /// let calls = [ToolCall::new("1", "charge", "{}"), ToolCall::new("2", "charge", "{}")];
    /// let batch = executor.run_blocking(&calls, &cx);
    /// let says = [Decision::Approve, Decision::Reject("too costly".into())];
    /// let decided: Vec<_> =
    ///     batch.pending().zip(says).map(|(pending, says)| pending.decided(says)).collect();
    /// let batch = executor.decide_blocking(&decided, &cx);
    /// let texts: Vec<_> = batch.results().map(|result| result.content(Default::default())).collect();
    /// assert_eq!(texts, ["charged", "the call was rejected: too costly"]);
    /// ```
    pub async fn decide(&self, decided: &[Decided], cx: &Context) -> Batch {
        let calls: Vec<_> = decided.iter().map(Decided::as_run).collect();
        self.go(Turn::decided(&calls, decided), cx).await
    }

    async fn go(&self, turn: Turn<'_>, cx: &Context) -> Batch {
        let cx = &self.known(cx);
        let tools = self.source.tools(&cx.scope());
        let mut books = Books::open(self, turn, cx);
        if cx.cancel_requested() {
            books.cancelled();
            turn.leave(&mut books);
            return books.close();
        }
        let jobs = sort::sort(self, &tools, turn, cx, &mut books);
        let stop = cx.host_cancel().cloned();
        let batch = drive::drive(self, jobs, books, stop);
        // The runtime's budget is for tasks that starve others; a batch is many of them in one, and
        // its calls take turns.
        tokio::task::unconstrained(batch).await
    }

    /// The same on this thread, with a runtime of its own. Inside a runtime it blocks the thread that
    /// calls it.
    pub fn run_blocking(&self, calls: &[ToolCall], cx: &Context) -> Batch {
        self.go_blocking(Turn::planned(calls, &[]), cx)
    }

    /// The same for [`decide`](Self::decide).
    pub fn decide_blocking(&self, decided: &[Decided], cx: &Context) -> Batch {
        let calls: Vec<_> = decided.iter().map(Decided::as_run).collect();
        self.go_blocking(Turn::decided(&calls, decided), cx)
    }

    fn go_blocking(&self, turn: Turn<'_>, cx: &Context) -> Batch {
        match wait(self.go(turn, cx)) {
            Ok(batch) => batch,
            Err(error) => {
                let cx = &self.known(cx);
                let mut books = Books::open(self, turn, cx);
                turn.leave(&mut books);
                books.end_with(&error);
                books.close()
            }
        }
    }
}

/// The calls of a batch, and what was decided about them, if they waited.
#[derive(Clone, Copy)]
struct Turn<'a> {
    calls: &'a [ToolCall],
    plans: Plans<'a>,
}

/// What the host wants of the calls of a batch.
#[derive(Clone, Copy)]
enum Plans<'a> {
    Planned(&'a [CallPlan]),
    Decided(&'a [Decided]),
}

impl<'a> Turn<'a> {
    fn planned(calls: &'a [ToolCall], plans: &'a [CallPlan]) -> Self {
        Self {
            calls,
            plans: Plans::Planned(plans),
        }
    }

    fn decided(calls: &'a [ToolCall], decided: &'a [Decided]) -> Self {
        Self {
            calls,
            plans: Plans::Decided(decided),
        }
    }

    fn plan(&self, index: usize) -> Plan<'a> {
        match self.plans {
            Plans::Planned(plans) => Plan::Planned(plans.get(index).copied().unwrap_or_default()),
            Plans::Decided(decided) => match decided.get(index) {
                Some(one) => Plan::Decided(&one.decision),
                None => Plan::Planned(CallPlan::Leave),
            },
        }
    }

    /// Nothing runs: what the host leaves is left all the same.
    fn leave(&self, books: &mut Books<'a>) {
        for (index, call) in self.calls.iter().enumerate() {
            if matches!(self.plan(index), Plan::Planned(CallPlan::Leave)) {
                books.wait(index, call.clone(), PendingReason::Left, Vec::new());
            }
        }
    }

    /// The place of a call in the turn of the model.
    fn place(&self, index: usize) -> usize {
        match self.plans {
            Plans::Planned(_) => index,
            Plans::Decided(decided) => decided.get(index).map_or(index, |one| one.place),
        }
    }

    /// The place of each call in the turn of the model, where it is another one than here.
    fn places(self) -> Option<Vec<usize>> {
        match self.plans {
            Plans::Planned(_) => None,
            Plans::Decided(decided) => Some(decided.iter().map(|one| one.place).collect()),
        }
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("at_once", &self.at_once)
            .field("timeout", &self.timeout)
            .field("batch_timeout", &self.batch_timeout)
            .field("on_error", &self.on_error)
            .field("on_unknown", &self.on_unknown)
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}
