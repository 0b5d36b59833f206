//! State of a running batch. Every call gets exactly one reply, whatever happens.

use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use super::batch::{Batch, Halted, Pending, Reply};
use super::body::{FinishedCall, not_stopped};
use super::event::{BatchId, Event, Observers};
use super::layer::Handled;
use super::output::OutputLimit;
use super::policy::{ErrorPolicy, OnFailure, UnknownOutcome};
use super::redacted::Redacted;
use super::shared::BatchShared;
use super::span::CallSpan;
use super::waiting::PendingReason;
use super::{Executor, Turn};
use crate::tool::{Context, RunningBatch, old_name};
use crate::toolset::ToolEntry;
use toolwright_provider::call::{ErrorKind, Outcome, ToolCall, ToolError, ToolResult, is_written};
use toolwright_schema::decode::Repair;
use toolwright_schema::panics;

/// Rows and replies of a batch.
pub(super) struct BatchState<'a> {
    id: BatchId,
    /// Spans record arguments and results.
    has_content: bool,
    calls: &'a [ToolCall],
    rows: Vec<CallRow<'a>>,
    /// Replies in the order in which calls ended. Usually that is call order, and the list is returned as it is.
    replies: Vec<Reply>,
    /// The call index of each reply.
    ended: Vec<usize>,
    /// State updates by call index.
    updates: Vec<(usize, Vec<(String, Value)>)>,
    cx: Context,
    shared: Arc<BatchShared>,
    policy: &'a ErrorPolicy,
    unknown_outcome: Option<UnknownOutcome>,
    observers: Observers,
    began: Instant,
    /// Halts that policies and the host caused.
    halts: Vec<Halted>,
    closed: bool,
    limit: Option<&'a OutputLimit>,
}

/// Name of the policy in panic reports.
const POLICY: &str = "the error policy";

/// State of one call.
#[derive(Default)]
struct CallRow<'a> {
    entry: Option<&'a ToolEntry>,
    began: Option<Instant>,
    span: CallSpan,
    /// The call has its reply.
    ended: bool,
}

impl<'a> BatchState<'a> {
    pub(super) fn open(executor: &'a Executor, turn: &'a Turn<'a>, cx: &Context) -> Self {
        let id = BatchId::new();
        let calls = &*turn.calls;
        let observers = executor.observers.clone();
        let shared = Arc::new(BatchShared::new(id, turn, cx, executor));
        let state = Self {
            id,
            has_content: executor.has_content,
            calls,
            rows: calls.iter().map(|_| CallRow::default()).collect(),
            replies: Vec::with_capacity(calls.len()),
            ended: Vec::with_capacity(calls.len()),
            updates: Vec::new(),
            cx: cx.clone().in_batch(shared.clone()),
            shared,
            policy: &executor.on_error,
            unknown_outcome: executor.unknown_outcome,
            observers,
            began: Instant::now(),
            halts: Vec::new(),
            closed: false,
            limit: executor.output.as_ref(),
        };
        state.observers.notify(&Event::BatchStarted {
            batch_id: id,
            cx: &state.cx,
            calls,
        });
        state
    }

    /// Returns the context of the batch's calls.
    pub(super) fn context(&self) -> Context {
        self.cx.clone()
    }

    /// Returns the state that calls share.
    pub(super) fn shared(&self) -> Arc<BatchShared> {
        Arc::clone(&self.shared)
    }

    fn notify_started(&self, index: usize) {
        if let Some(call) = self.calls.get(index) {
            self.observers.notify(&Event::Started {
                batch_id: self.id,
                cx: &self.cx,
                index,
                call,
                redacted: self.redacted(index, call),
            });
        }
    }

    /// Returns a call's arguments without secrets.
    fn redacted<'s>(&'s self, index: usize, call: &'s ToolCall) -> Redacted<'s> {
        let entry = self.rows.get(index).and_then(|row| row.entry);
        Redacted::new(call, entry.map(ToolEntry::tool))
    }

    /// Sets the tool of a call.
    pub(super) fn set_entry(&mut self, index: usize, entry: &'a ToolEntry) {
        if let Some(row) = self.rows.get_mut(index) {
            row.entry = Some(entry);
        }
    }

    /// Starts a call. `last` is the start of the call before, if it began just now: without observers, both share one
    /// reading of the clock.
    pub(super) fn start(&mut self, index: usize, last: Option<Instant>) -> (Instant, CallSpan) {
        self.open_span(index);
        let row = self.rows.get_mut(index);
        let span = row.as_ref().map(|row| row.span.clone());
        let span = span.unwrap_or_default();
        let is_observed = !self.observers.is_empty();
        let began = match last {
            Some(last) if !is_observed && span.is_none() => last,
            _ => Instant::now(),
        };
        if let Some(row) = row {
            row.began = Some(began);
        }
        if is_observed {
            self.notify_started(index);
        }
        (began, span)
    }

    fn open_span(&mut self, index: usize) {
        if !CallSpan::is_asked_for() {
            return;
        }
        let call = self.calls.get(index);
        let span =
            call.map(|call| CallSpan::of(call, self.redacted(index, call), self.has_content));
        if let (Some(row), Some(span)) = (self.rows.get_mut(index), span) {
            row.span = span;
        }
    }

    /// Makes a call pending.
    pub(super) fn wait(
        &mut self,
        index: usize,
        call: ToolCall,
        reason: PendingReason,
        repairs: Vec<Repair>,
    ) {
        self.shared.close(index);
        let pending = Pending {
            index,
            place: self.shared.place(index),
            attempt: self.shared.attempt(index),
            call,
            reason,
            repairs: repairs.into(),
        };
        if let Some(call) = self.calls.get(index) {
            self.notify_repaired(index, call, &pending.repairs);
        }
        self.observers.notify(&Event::Pending {
            batch_id: self.id,
            cx: &self.cx,
            pending: &pending,
            redacted: self.redacted(index, &pending.call),
        });
        if self.mark_ended(index) {
            self.replies.push(Reply::Pending(pending));
        }
    }

    /// Answers a call without running it. Returns true if the batch ends with it.
    pub(super) fn refuse(&mut self, index: usize, outcome: Result<Outcome, ToolError>) -> bool {
        self.open_span(index);
        self.notify_started(index);
        self.answer(index, outcome, Vec::new())
    }

    /// Records the end of a call. Returns true if the batch ends with it.
    pub(super) fn finish(&mut self, mut finished: FinishedCall) -> bool {
        if let Some(call) = self.calls.get(finished.index)
            && let Some(entry) = self.rows.get(finished.index).and_then(|row| row.entry)
            && *entry.name() != call.name
        {
            let renamed = old_name("", &call.name, entry.name());
            finished.repairs.insert(0, renamed);
        }
        let reason = match finished.handled {
            Handled::Done(Err(error)) if self.asks_about(finished.index, &error) => {
                PendingReason::OutcomeUnknown(error.to_string())
            }
            Handled::Done(outcome) => {
                return self.answer(finished.index, outcome, finished.repairs);
            }
            Handled::Wait(details) => PendingReason::Decision(details),
        };
        if let Some(call) = self.calls.get(finished.index) {
            let mut call = call.clone();
            if let Some(arguments) = finished.waits_with {
                call.arguments = arguments;
            }
            self.wait(finished.index, call, reason, finished.repairs);
        }
        false
    }

    /// Returns true if a person decides about the call of this error. The code of an asynchronous tool ends with its time, so the
    /// model reads about that limit.
    fn asks_about(&self, index: usize, error: &ToolError) -> bool {
        let is_left = match error.kind() {
            ErrorKind::Cancelled => false,
            ErrorKind::Timeout => self.cx.is_offloaded(index),
            _ => true,
        };
        error.is_outcome_unknown()
            && is_left
            && self.unknown_outcome == Some(UnknownOutcome::Ask)
            && self
                .rows
                .get(index)
                .and_then(|row| row.entry)
                .is_some_and(|entry| !entry.options().annotations.may_repeat())
    }

    fn answer(
        &mut self,
        index: usize,
        outcome: Result<Outcome, ToolError>,
        repairs: Vec<Repair>,
    ) -> bool {
        let Some(call) = self.calls.get(index) else {
            return false;
        };
        // After a cancellation the host gets no success.
        let outcome = match outcome {
            Ok(_) if self.cx.cancel_requested() => Err(cancelled()),
            outcome => self.owned(index, outcome),
        };
        let mut result = self.result(index, call, outcome, repairs);
        // A failed call stays a failure, even if the policy replaces its answer.
        let failure = result.outcome.as_ref().err().map(ToolError::kind);
        let ends = self.apply_policy(index, call, &mut result);
        if let Some(limit) = self.limit {
            limit.apply(&mut result, &self.cx);
        }
        self.answered(index, call, &result, failure);
        if self.mark_ended(index) {
            self.replies.push(Reply::Answered(result));
        }
        ends
    }

    /// Refuses the outcome of a call that claims to stay open and has no owner.
    fn owned(
        &self,
        index: usize,
        outcome: Result<Outcome, ToolError>,
    ) -> Result<Outcome, ToolError> {
        match &outcome {
            Ok(Outcome::Open { key, .. }) if !self.shared.stays_open(index, key) => {
                let words = "the call says that it stays open, and nobody has it";
                Err(ToolError::failed(words).permanent())
            }
            _ => outcome,
        }
    }

    /// Asks the policy about a failed call. Returns true if the batch ends with it.
    fn apply_policy(&mut self, index: usize, call: &ToolCall, result: &mut ToolResult) -> bool {
        let error = match &result.outcome {
            Err(error) if error.kind() != ErrorKind::Cancelled => error.clone(),
            _ => return false,
        };
        let says = match self.policy.ask(call, &error) {
            Ok(says) => says,
            Err(panic) => {
                panics::report(POLICY, panic.host_detail().unwrap_or_default());
                result.outcome = Err(error.clone().beside(POLICY, &panic));
                OnFailure::Halt
            }
        };
        match says {
            OnFailure::Continue => {}
            OnFailure::Replace(outcome) => {
                let replaced = ToolResult::new(call, self.owned(index, Ok(outcome)));
                match replaced.outcome {
                    Ok(outcome) => result.outcome = Ok(outcome),
                    Err(unwritten) => {
                        result.outcome = Err(error.beside(POLICY, &unwritten));
                        self.halts.push(Halted::ToolError { index });
                    }
                }
            }
            OnFailure::Halt => self.halts.push(Halted::ToolError { index }),
            OnFailure::Abort => {
                self.halts.push(Halted::Aborted { index });
                return true;
            }
        }
        false
    }

    fn result(
        &self,
        index: usize,
        call: &ToolCall,
        outcome: Result<Outcome, ToolError>,
        repairs: Vec<Repair>,
    ) -> ToolResult {
        let row = self.rows.get(index);
        let entry = row.and_then(|row| row.entry);
        let mut result = ToolResult::new(call, outcome);
        result.repairs = repairs.into();
        if let Some(began) = row.and_then(|row| row.began) {
            result.duration = began.elapsed();
        }
        if let Some(entry) = entry {
            result.attributes = entry.attributes().clone();
            if entry.options().return_direct {
                result.outcome = result.outcome.map(Outcome::into_direct);
            }
        }
        if !is_written(&result.outcome) {
            result.outcome = result.outcome.map(Outcome::without_error_mark);
        }
        result
    }

    /// Closes the call. Its state updates apply if it succeeded and has no question.
    fn answered(
        &mut self,
        index: usize,
        call: &ToolCall,
        result: &ToolResult,
        failure: Option<ErrorKind>,
    ) {
        if !matches!(result.outcome, Ok(Outcome::Open { .. })) {
            self.shared.withdraw_open(index);
        }
        let updates = self.shared.close(index);
        if matches!(failure, Some(ErrorKind::Timeout | ErrorKind::Cancelled)) {
            self.shared.stop(index);
        }
        if !self.observers.is_empty() {
            self.notify_finished(index, call, result);
        }
        if let Some(row) = self.rows.get_mut(index) {
            std::mem::take(&mut row.span).end(result);
        }
        let asks = matches!(result.outcome, Ok(Outcome::AskUser { .. }));
        if failure.is_none() && !asks && !updates.is_empty() {
            self.updates.push((index, updates));
        }
    }

    fn notify_repaired(&self, index: usize, call: &ToolCall, repairs: &[Repair]) {
        if repairs.is_empty() || self.observers.is_empty() {
            return;
        }
        self.observers.notify(&Event::Repaired {
            batch_id: self.id,
            cx: &self.cx,
            index,
            call,
            redacted: self.redacted(index, call),
            repairs,
        });
    }

    fn notify_finished(&self, index: usize, call: &ToolCall, result: &ToolResult) {
        self.notify_repaired(index, call, &result.repairs);
        let (batch_id, cx, redacted) = (self.id, &self.cx, self.redacted(index, call));
        self.observers.notify(&Event::Finished {
            batch_id,
            cx,
            index,
            call,
            redacted,
            result,
        });
    }

    /// Marks the call as ended. Returns false if it has a reply already.
    fn mark_ended(&mut self, index: usize) -> bool {
        let row = self.rows.get_mut(index);
        let ends = row.is_some_and(|row| !std::mem::replace(&mut row.ended, true));
        if ends {
            self.ended.push(index);
        }
        ends
    }

    /// Notes that the host cancelled the batch.
    pub(super) fn cancelled(&mut self) {
        self.halts.push(Halted::Cancelled);
    }

    /// Answers all open calls with this error, in call order.
    pub(super) fn answer_open_calls(&mut self, error: &ToolError) {
        if self.ended.len() == self.rows.len() {
            return;
        }
        for index in 0..self.calls.len() {
            if self.rows.get(index).is_some_and(|row| !row.ended) {
                let error = error.clone();
                let error = if self.shared.is_offloaded(index) {
                    not_stopped(error)
                } else {
                    error
                };
                self.answer(index, Err(error), Vec::new());
            }
        }
    }

    /// Ends the batch.
    pub(super) fn close(mut self) -> Batch {
        self.finish_batch()
    }

    fn finish_batch(&mut self) -> Batch {
        self.closed = true;
        if self.cx.cancel_requested() && !self.halts.contains(&Halted::Cancelled) {
            self.cancelled();
        }
        self.answer_open_calls(&cancelled());
        let mut batch = Batch {
            calls: self.in_call_order(),
            ..Batch::default()
        };
        if !self.updates.is_empty() {
            self.updates.sort_unstable_by_key(|(index, _)| *index);
            let updates = self.updates.drain(..).flat_map(|(index, updates)| {
                updates.into_iter().map(move |update| (index, update))
            });
            (batch.updated_by, batch.updates) = updates.unzip();
            batch.state = Some(self.cx.state().clone().updated(&batch.updates));
        }
        batch.halts = Halted::of_batch(&batch.calls, std::mem::take(&mut self.halts));
        let duration = self.began.elapsed();
        let batch_ended = Event::BatchFinished {
            batch_id: self.id,
            cx: &self.cx,
            batch: &batch,
            duration,
        };
        self.observers.notify(&batch_ended);
        batch
    }

    /// Returns the replies in call order, once each call has one.
    fn in_call_order(&mut self) -> Vec<Reply> {
        let replies = std::mem::take(&mut self.replies);
        if self.ended.is_sorted() {
            return replies;
        }
        let mut all: Vec<_> = replies.iter().map(|_| None).collect();
        for (index, reply) in self.ended.iter().zip(replies) {
            if let Some(place) = all.get_mut(*index) {
                *place = Some(reply);
            }
        }
        all.into_iter().flatten().collect()
    }
}

/// Reports a batch whose future was dropped to its observers, which are the only readers of its answers.
impl Drop for BatchState<'_> {
    fn drop(&mut self) {
        if !self.closed {
            self.cancelled();
            self.finish_batch();
        }
    }
}

#[cold]
fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "the call was cancelled")
}
