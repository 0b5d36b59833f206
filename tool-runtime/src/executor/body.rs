//! One call, from its layers to the tool's code and back.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::blocking::BlockingLimit;
use super::deadline;
use super::layer::{Handled, Layer, Next, Request};
use super::offloaded::{Offloaded, OwnedCall};
use super::policy::UnknownOutcome;
use super::runner::{RunnerQueue, RunnerReply};
use super::shared::BatchShared;
use super::span::CallSpan;
use super::turn::Job;
use super::{Executor, background};
use crate::tool::{Answer, Answered, ApprovalToken, Call, Contained, Context, Tool, items};
use crate::toolset::ToolEntry;
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError, contained};
use toolwright_schema::decode::{Arena, Repair, RepairKind};

/// The innermost part of a call, inside its layers.
pub(super) struct CallBody<'a> {
    pub(super) index: usize,
    pub(super) entry: &'a ToolEntry,
    pub(super) tool: &'a Arc<dyn Tool>,
    pub(super) cx: &'a Context,
    env: &'a BatchEnv<'a>,
    span: &'a CallSpan,
    /// True if the call was stored, and may use names of then.
    is_stored: bool,
    repairs: Mutex<Vec<Repair>>,
    /// Approved arguments.
    approved: Option<Arc<str>>,
    /// Arguments of the pending call, if a layer asks.
    waits_with: Mutex<Option<Arc<str>>>,
}

/// A call in flight.
pub(super) type RunningCall<'a> = Pin<Box<dyn Future<Output = FinishedCall> + Send + 'a>>;

/// Outcome of a call, with the repairs of its arguments.
pub(super) struct FinishedCall {
    pub(super) index: usize,
    pub(super) handled: Handled,
    pub(super) repairs: Vec<Repair>,
    /// Arguments of the pending call, if a layer asks.
    pub(super) waits_with: Option<Arc<str>>,
}

/// Everything that all calls of a batch run with.
pub(super) struct BatchEnv<'a> {
    pub(super) cx: Context,
    /// Time limit of calls whose tool sets no limit.
    pub(super) limit: Option<Duration>,
    pub(super) layers: &'a [Arc<dyn Layer>],
    pub(super) blocking: &'a BlockingLimit,
    /// Way to the host's runner, if it has one.
    pub(super) queue: Option<RunnerQueue<'a>>,
    pub(super) unknown_outcome: Option<UnknownOutcome>,
    pub(super) shared: Arc<BatchShared>,
    pub(super) executor: &'a Executor,
}

impl BatchEnv<'_> {
    /// Runs a future of a call within a time from `began`: the tool's own limit, or that of the executor.
    async fn within<F: Future>(
        &self,
        began: Instant,
        entry: &ToolEntry,
        index: usize,
        future: F,
    ) -> Result<F::Output, ToolError> {
        let limit = entry.options().timeout.or(self.limit);
        deadline::within(began, limit, || self.shared.held_time(index), future).await
    }

    /// Returns true if calls of the tool stay open.
    fn is_background(&self, entry: &ToolEntry) -> bool {
        entry.options().background && self.executor.open_calls.is_some()
    }

    /// Returns true if a call with this answer runs again.
    fn runs_again(&self, entry: &ToolEntry, answer: &Answered) -> bool {
        let Err(error) = answer else {
            return false;
        };
        let ended = matches!(
            error.kind(),
            ErrorKind::Timeout | ErrorKind::NotStarted | ErrorKind::Cancelled
        );
        error.is_outcome_unknown()
            && !ended
            && !self.cx.cancel_requested()
            && (entry.options().annotations.may_repeat()
                || self.unknown_outcome == Some(UnknownOutcome::RunAgain))
    }
}

/// Starts a tool's code on this task: returns a future, or the answer.
fn first<'a>(entry: &'a ToolEntry, call: Call<'a>) -> Result<Contained<'a, Answered>, Answered> {
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

/// Runs a call inside its span, with layers, on another task or thread if its tool asks for that.
pub(super) fn in_span<'a>(
    job: &'a Job<'a>,
    began: Instant,
    env: &'a BatchEnv<'a>,
    span: CallSpan,
) -> RunningCall<'a> {
    Box::pin(async move { span.around(layered(job, began, env, &span)).await })
}

/// Discards the state of a failed attempt without layers, before the next attempt.
fn drop_attempt(job: &Job<'_>, env: &BatchEnv<'_>) {
    let call = job.call;
    let cx = (env.cx).for_call(job.index, call.id.clone(), call.name.clone());
    cx.truncate_updates(0);
    cx.withdraw_open();
}

async fn layered(
    job: &Job<'_>,
    began: Instant,
    env: &BatchEnv<'_>,
    span: &CallSpan,
) -> FinishedCall {
    let call = job.call;
    if env.layers.is_empty() && env.queue.is_none() && !job.entry.needs_approval() {
        let body = CallBody::new(job, &env.cx, env, span);
        let mut answered = body.start(call, began, None).await;
        if env.runs_again(job.entry, &answered) {
            drop_attempt(job, env);
            answered = body.body(call, Instant::now(), None).await;
        }
        return body.end(answered.into());
    }
    let cx = &env.cx;
    let cx = cx.for_call(job.index, call.id.clone(), call.name.clone());
    let mut body = CallBody::new(job, &cx, env, span);
    let handled = match body.check(call) {
        Ok(checked) => {
            // A repair is a change that was not shown. An argument under its new name is unchanged.
            let is_as_shown = !job.entry.needs_approval()
                || checked.arguments == call.arguments
                || body.is_only_renamed();
            let approves = job.plan.is_approval() && is_as_shown;
            let call = checked;
            body.approved = approves.then(|| Arc::clone(&call.arguments));
            let next = Next::new(env.layers);
            next.run(Request::new(call, &body)).await
        }
        Err(error) => error.into(),
    };
    body.end(handled)
}

impl<'a> CallBody<'a> {
    fn new(job: &Job<'a>, cx: &'a Context, env: &'a BatchEnv<'a>, span: &'a CallSpan) -> Self {
        Self {
            index: job.index,
            entry: job.entry,
            tool: job.entry.tool(),
            cx,
            env,
            span,
            is_stored: job.plan.is_stored(),
            repairs: Mutex::default(),
            approved: None,
            waits_with: Mutex::default(),
        }
    }

    fn end(self, handled: Handled) -> FinishedCall {
        FinishedCall {
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

    /// Returns true if these arguments were approved.
    pub(super) fn is_approved(&self, arguments: &Arc<str>) -> bool {
        self.approved.as_ref() == Some(arguments)
    }

    /// Returns true if other arguments were approved.
    pub(super) fn approved_others(&self, arguments: &Arc<str>) -> bool {
        self.approved
            .as_ref()
            .is_some_and(|approved| approved != arguments)
    }

    /// Clears the arguments that a layer asked about: the next layer runs.
    pub(super) fn clear_pending(&self) {
        *self.waits_with() = None;
    }

    /// Notes the arguments that a layer asks about, unless a layer further in already did.
    pub(super) fn waits(&self, arguments: Arc<str>) {
        self.waits_with().get_or_insert(arguments);
    }

    fn waits_with(&self) -> MutexGuard<'_, Option<Arc<str>>> {
        self.waits_with
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn repaired(&self, arena: &Arena) {
        if !arena.repairs().is_empty() {
            let mut repairs = self.repairs.lock().unwrap_or_else(PoisonError::into_inner);
            repairs.extend_from_slice(arena.repairs());
        }
    }

    /// Makes a call of the tool.
    fn asked<'c>(&'c self, call: &'c ToolCall, arena: &'c Arena) -> Call<'c> {
        let asked = self.entry.call(call, arena, self.cx).at(self.index);
        asked.stored(self.is_stored)
    }

    /// Returns true if arguments were given their names of today, and nothing else was repaired.
    fn is_only_renamed(&self) -> bool {
        let repairs = self.repairs.lock().unwrap_or_else(PoisonError::into_inner);
        let is_renamed = |repair: &Repair| repair.kind == RepairKind::OldName;
        !repairs.is_empty() && repairs.iter().all(is_renamed)
    }

    /// Decodes and validates the arguments. Returns the call with repaired arguments.
    pub(super) fn check(&self, call: &ToolCall) -> Result<ToolCall, ToolError> {
        let arena = Arena::new();
        let asked = self.asked(call, &arena);
        contained(|| self.tool.validate(asked)).flatten()?;
        self.repaired(&arena);
        let mut call = call.clone();
        if let Some(repaired) = arena.repaired_arguments() {
            call.arguments = repaired.into();
        }
        Ok(call)
    }

    /// Runs the tool's code, and once more if its outcome is unknown and that is harmless.
    pub(super) async fn attempts(
        &self,
        call: &ToolCall,
        approval: Option<ApprovalToken>,
    ) -> Answered {
        let answered = self.attempt(call, approval).await;
        if self.env.runs_again(self.entry, &answered) {
            return self.attempt(call, approval).await;
        }
        answered
    }

    /// Runs the tool's code as one of several attempts. A failed attempt's state updates are dropped.
    async fn attempt(&self, call: &ToolCall, approval: Option<ApprovalToken>) -> Answered {
        let updates = self.cx.update_count();
        let answered = match &self.env.queue {
            Some(queue) if !self.is_background() => self.by_runner(queue, call, approval).await,
            _ => self.start(call, Instant::now(), approval).await,
        };
        if let Err(error) = &answered {
            self.cx.truncate_updates(updates);
            self.cx.withdraw_open();
            if error.kind() == ErrorKind::Timeout {
                self.cx.mark_late();
            }
        }
        answered.map_err(|error| {
            // An earlier attempt may still run, so this attempt's error cannot say that nothing happened.
            let ended = matches!(
                error.kind(),
                ErrorKind::Timeout | ErrorKind::NotStarted | ErrorKind::Cancelled
            );
            if ended && !error.is_outcome_unknown() && self.cx.is_offloaded(self.index) {
                let words =
                    "what ran before could not be stopped, and it is not known whether that took effect";
                error.with_message(words).with_outcome_unknown()
            } else {
                error
            }
        })
    }

    /// Lets the host's runner answer the call, within its time limit.
    async fn by_runner(
        &self,
        queue: &RunnerQueue<'_>,
        call: &ToolCall,
        approval: Option<ApprovalToken>,
    ) -> Answered {
        let replied = queue.hand_over(self.index, call, self.tool, self.cx);
        let replied = self
            .env
            .within(Instant::now(), self.entry, self.index, replied)
            .await;
        match replied.map_err(not_stopped)? {
            Ok(RunnerReply::Answer(answer)) => answer,
            Ok(RunnerReply::Here(_ends)) => self.body(call, Instant::now(), approval).await,
            Err(_) => Err(queue.no_answer()),
        }
    }

    /// Returns true if the call stays open.
    pub(super) fn is_background(&self) -> bool {
        self.env.is_background(self.entry)
    }

    /// Runs the tool's code, or starts it in the background.
    async fn start(
        &self,
        call: &ToolCall,
        began: Instant,
        approval: Option<ApprovalToken>,
    ) -> Answered {
        if let Some(open) = &self.env.executor.open_calls
            && self.is_background()
        {
            // Faults are for the model to read now.
            let call = self.check(call)?;
            let cx = (self.cx).for_call(self.index, call.id.clone(), call.name.clone());
            let (executor, entry) = (self.env.executor, self.entry);
            if let Some(answered) =
                background::in_background(open, executor, entry, &call, &cx).await
            {
                return answered;
            }
        }
        self.body(call, began, approval).await
    }

    /// Runs the tool's code in the place that its definition sets, within its time limit.
    async fn body(
        &self,
        call: &ToolCall,
        began: Instant,
        approval: Option<ApprovalToken>,
    ) -> Answered {
        if self.entry.options().blocking {
            return self.offload(call, began, approval).await;
        }
        let arena = Arena::new();
        let asked = self.asked(call, &arena).with_approval(approval);
        let answered = match first(self.entry, asked) {
            Ok(first) => self.in_time(asked, began, first).await,
            Err(answer) => answer,
        };
        self.repaired(&arena);
        answered
    }

    /// Awaits the answer and, if that is a stream, its items, within one time limit.
    async fn in_time<'c>(
        &self,
        call: Call<'c>,
        began: Instant,
        first: Contained<'c, Answered>,
    ) -> Answered {
        let whole = async {
            let mut answer = first.await;
            while let Some(stream) = items::stream_of(&answer) {
                answer = items::read(stream, call).await;
            }
            answer
        };
        let answer = self.env.within(began, self.entry, self.index, whole).await;
        // The code ends here, but not what it has sent, or moved to another thread or task. A tool that resumes, such as an agent,
        // goes on with what it has begun when it is called again.
        let stops = self.tool.resumes() && !self.cx.is_offloaded(self.index);
        let late = |late| if stops { late } else { not_stopped(late) };
        answer.map_err(late).flatten()
    }

    /// Runs the tool's code on another thread. That may outlive the batch, so it owns everything it needs.
    async fn offload(
        &self,
        call: &ToolCall,
        began: Instant,
        approval: Option<ApprovalToken>,
    ) -> Answered {
        let (place, began) = self.env.blocking.place(began).await?;
        let arena = Arc::new(Arena::new());
        let owned = OwnedCall {
            entry: self.entry.clone(),
            call: call.clone(),
            cx: self.cx.clone(),
            index: self.index,
            is_stored: self.is_stored,
            approval,
            arena: Arc::clone(&arena),
            span: self.span.clone(),
            _place: Some(place),
        };
        self.cx.set_offloaded(self.index, true);
        let mut answer = Offloaded::start(owned);
        let in_time = self
            .env
            .within(began, self.entry, self.index, &mut answer)
            .await;
        let in_time = in_time.map_err(|late| {
            if answer.take_back() {
                self.cx.set_offloaded(self.index, false);
                late.with_message("it had not begun, and did not run")
            } else {
                not_stopped(late)
            }
        });
        if in_time.is_ok() {
            self.cx.set_offloaded(self.index, false);
        }
        self.repaired(&arena);
        in_time.flatten()
    }
}

/// Marks the error of a call that had begun.
#[cold]
pub(super) fn not_stopped(error: ToolError) -> ToolError {
    error
        .with_message("its work may go on, and it is not known whether it took effect")
        .with_outcome_unknown()
}
