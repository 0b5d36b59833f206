//! One call, from its layers to the tool's own code and back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::blocking::BlockingLimit;
use super::clock::Clock;
use super::elsewhere::{Elsewhere, Moved};
use super::layer::{Handled, Layer, Next, Request};
use super::sort::Job;
use super::span::CallSpan;
use crate::tool::{Answer, Call, Contained, Context, Tool, items};
use crate::toolset::{Entry, Traits, settled};
use toolwright_provider::call::{ErrorKind, Outcome, ToolCall, ToolError, contained};
use toolwright_schema::decode::{Repair, Store};

/// What all of a call's layers lead to.
pub(super) struct Core<'a> {
    pub(super) index: usize,
    pub(super) entry: &'a Entry,
    pub(super) tool: &'a Arc<dyn Tool>,
    pub(super) cx: &'a Context,
    clock: &'a Clock,
    blocking: &'a BlockingLimit,
    span: &'a CallSpan,
    repairs: Mutex<Vec<Repair>>,
    /// The arguments that somebody let the call run with.
    approved: Option<Arc<str>>,
    /// The arguments that a layer asks about.
    waits_with: Mutex<Option<Arc<str>>>,
}

pub(super) type Answered = Result<Outcome, ToolError>;

/// What became of a call, and how its arguments were repaired on the way.
pub(super) struct Ran {
    pub(super) index: usize,
    pub(super) handled: Handled,
    pub(super) repairs: Vec<Repair>,
    /// The arguments that a layer asks about.
    pub(super) waits_with: Option<Arc<str>>,
}

impl Ran {
    /// Of a call without layers.
    pub(super) fn plain(job: &Job<'_>, answer: Answered) -> Self {
        Self {
            index: job.index,
            handled: answer.into(),
            repairs: job.store.repairs().to_vec(),
            waits_with: None,
        }
    }
}

/// What all calls of a batch are run with.
pub(super) struct Shared<'a> {
    pub(super) cx: Context,
    pub(super) clock: Clock,
    pub(super) layers: &'a [Arc<dyn Layer>],
    pub(super) blocking: &'a BlockingLimit,
}

/// What a tool's code begins with, on this task: what is to be waited for, or the answer.
pub(super) fn first<'a>(
    entry: &'a Entry,
    call: Call<'a>,
) -> Result<Contained<'a, Answered>, Answered> {
    match contained(|| entry.tool().__run(call)) {
        Ok(Ok(Answer::Ready(answer))) => match items::stream_of(&answer) {
            Some(stream) => Ok(items::read(stream, call)),
            None => Err(answer),
        },
        Ok(Ok(Answer::Later(later))) => Ok(Contained::new(later)),
        Ok(Err(stop)) => Err(stop.into_outcome()),
        Err(error) => Err(Err(error)),
    }
}

/// What a call comes to, whatever is around it and wherever it runs.
pub(super) async fn in_span(
    job: &Job<'_>,
    began: Instant,
    shared: &Shared<'_>,
    span: CallSpan,
) -> Ran {
    span.around(layered(job, began, shared, &span)).await
}

async fn layered(job: &Job<'_>, began: Instant, shared: &Shared<'_>, span: &CallSpan) -> Ran {
    let call = job.call;
    if shared.layers.is_empty() {
        let core = Core::new(job, &shared.cx, shared, span);
        let handled = core.body(call, began).await.into();
        return core.end(handled);
    }
    let cx = &shared.cx;
    let cx = cx.for_call(job.index, call.id.clone(), call.name.clone());
    let mut core = Core::new(job, &cx, shared, span);
    let handled = match core.check(call) {
        Ok(call) => {
            let approves = job.plan.is_approval();
            core.approved = approves.then(|| Arc::clone(&call.arguments));
            let next = Next::new(shared.layers);
            next.run(Request::new(call, &core)).await
        }
        Err(error) => error.into(),
    };
    core.end(handled)
}

impl<'a> Core<'a> {
    fn new(job: &Job<'a>, cx: &'a Context, shared: &'a Shared<'_>, span: &'a CallSpan) -> Self {
        Self {
            index: job.index,
            entry: job.entry,
            tool: job.entry.tool(),
            cx,
            clock: &shared.clock,
            blocking: shared.blocking,
            span,
            repairs: Mutex::default(),
            approved: None,
            waits_with: Mutex::default(),
        }
    }

    fn end(self, handled: Handled) -> Ran {
        Ran {
            index: self.index,
            handled,
            repairs: self
                .repairs
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            waits_with: self
                .waits_with
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Whether somebody let the call run with these arguments.
    pub(super) fn is_approved(&self, arguments: &Arc<str>) -> bool {
        self.approved.as_ref() == Some(arguments)
    }

    /// Whether somebody let the call run, and with other arguments.
    pub(super) fn approved_others(&self, arguments: &Arc<str>) -> bool {
        self.approved
            .as_ref()
            .is_some_and(|approved| approved != arguments)
    }

    /// A layer is asked: what one asked about before is over.
    pub(super) fn goes_on(&self) {
        *self.waits_with() = None;
    }

    /// A layer asks about these arguments, if none further in does.
    pub(super) fn waits(&self, arguments: Arc<str>) {
        self.waits_with().get_or_insert(arguments);
    }

    fn waits_with(&self) -> MutexGuard<'_, Option<Arc<str>>> {
        self.waits_with
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn repaired(&self, store: &Store) {
        if !store.repairs().is_empty() {
            let mut repairs = self.repairs.lock().unwrap_or_else(PoisonError::into_inner);
            repairs.extend_from_slice(store.repairs());
        }
    }

    /// Reads and validates the arguments. The call comes back with them as they were repaired.
    pub(super) fn check(&self, call: &ToolCall) -> Result<ToolCall, ToolError> {
        let store = Store::new();
        let asked = self.entry.call(call, &store, self.cx).at(self.index);
        contained(|| self.tool.validate(asked)).flatten()?;
        self.repaired(&store);
        let mut call = call.clone();
        if let Some(repaired) = store.repaired_arguments() {
            call.arguments = repaired.into();
        }
        Ok(call)
    }

    /// The tool's own code, as one of several attempts: what an attempt that fails wanted the
    /// conversation to know, it does not know.
    pub(super) async fn attempt(&self, call: &ToolCall) -> Answered {
        let updates = self.cx.update_count();
        let answered = self.body(call, Instant::now()).await;
        if let Err(error) = &answered {
            self.cx.keep_updates(updates);
            if error.kind() == ErrorKind::Timeout {
                self.cx.is_late();
            }
        }
        answered.map_err(|error| {
            // What it says of this attempt is not true of one before that nobody could stop.
            let ended = matches!(
                error.kind(),
                ErrorKind::Timeout | ErrorKind::NotStarted | ErrorKind::Cancelled
            );
            if ended && !error.is_outcome_unknown() && self.cx.is_elsewhere(self.index) {
                let words =
                    "what ran before could not be stopped, and it is not known whether that took effect";
                error.with_message(words).with_outcome_unknown()
            } else {
                error
            }
        })
    }

    /// The tool's own code, where it wants to run, and no longer than it may.
    async fn body(&self, call: &ToolCall, began: Instant) -> Answered {
        let traits = self.entry.traits();
        if traits.blocking || traits.spawn {
            return self.elsewhere(call, began, traits).await;
        }
        let store = Store::new();
        let asked = self.entry.call(call, &store, self.cx).at(self.index);
        let answered = match first(self.entry, asked) {
            Ok(first) => self.limited(asked, began, first).await,
            Err(answer) => answer,
        };
        self.repaired(&store);
        answered
    }

    /// What comes first of the tool's answer and then, where that is a stream, its items: all within one limit.
    async fn limited<'c>(
        &self,
        call: Call<'c>,
        began: Instant,
        first: Contained<'c, Answered>,
    ) -> Answered {
        let own = self.entry.traits().timeout;
        let mut limited = self.clock.within(began, own, first);
        loop {
            let answer = (&mut limited).await;
            let answer = answer.map_err(|late| out_of_time(self.cx, self.index, late));
            let answer = answer.flatten();
            match items::stream_of(&answer) {
                Some(stream) => limited.go_on(items::read(stream, call)),
                None => return answer,
            }
        }
    }

    /// The same away from the task of the batch. Who runs there may outlive the batch, so everything
    /// that it needs is its own.
    async fn elsewhere(&self, call: &ToolCall, began: Instant, traits: Traits) -> Answered {
        let (place, began) = if traits.blocking {
            let (place, began) = self.blocking.place(began).await?;
            (Some(place), began)
        } else {
            (None, began)
        };
        let store = Arc::new(Store::new());
        let moved = Moved {
            entry: self.entry.clone(),
            call: call.clone(),
            cx: self.cx.clone(),
            index: self.index,
            store: Arc::clone(&store),
            span: self.span.clone(),
            _place: place,
        };
        self.cx.runs_elsewhere(self.index, true);
        let mut answer = Elsewhere::start(moved, traits.blocking);
        let in_time = self.clock.within(began, traits.timeout, &mut answer).await;
        let in_time = in_time.map_err(|late| {
            if answer.take_back() {
                self.cx.runs_elsewhere(self.index, false);
                late.with_message("it had not begun, and did not run")
            } else {
                not_stopped(late)
            }
        });
        if in_time.is_ok() {
            self.cx.runs_elsewhere(self.index, false);
        }
        self.repaired(&store);
        in_time.flatten()
    }
}

/// The error of a call whose code runs elsewhere, and cannot be stopped there.
#[cold]
pub(super) fn not_stopped(error: ToolError) -> ToolError {
    error
        .with_message("it could not be stopped, and it is not known whether it took effect")
        .with_outcome_unknown()
}

/// The error of a call whose time is over, and whose code runs here. What it made run elsewhere may go on.
#[cold]
pub(super) fn out_of_time(cx: &Context, index: usize, late: ToolError) -> ToolError {
    if cx.is_elsewhere(index) {
        not_stopped(late)
    } else {
        late
    }
}

/// The tool's answer, whatever the tool does.
pub(super) async fn answer(tool: &dyn Tool, call: Call<'_>) -> Answered {
    match contained(|| tool.call(call)) {
        Ok(answer) => settled(answer, call).await,
        Err(error) => Err(error),
    }
}
