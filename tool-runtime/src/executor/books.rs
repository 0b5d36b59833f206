//! The books of a batch: what became of each call. Whatever happens, every call stands in them once.

use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use super::batch::{Batch, Halted, Pending, PendingReason, Reply};
use super::body::{Ran, not_stopped};
use super::event::{BatchId, Event, Observers};
use super::layer::Handled;
use super::live::Live;
use super::output::OutputLimit;
use super::policy::{ErrorPolicy, OnFailure};
use super::redacted::Redacted;
use super::span::CallSpan;
use super::{Executor, Turn};
use crate::tool::{Context, RunningBatch};
use crate::toolset::Entry;
use toolwright_provider::call::{
    Encoder, ErrorKind, Outcome, ToolCall, ToolError, ToolResult, is_written,
};
use toolwright_schema::decode::Repair;
use toolwright_schema::panics;

/// See the module.
pub(super) struct Books<'a> {
    id: BatchId,
    /// Whether spans hold arguments and results.
    has_content: bool,
    calls: &'a [ToolCall],
    lines: Vec<Line<'a>>,
    /// What became of calls, as they ended. Most often that is call order, and then the list is handed on as it is.
    replies: Vec<Reply>,
    /// Whose each of them is.
    ended: Vec<usize>,
    /// What calls changed, by their places.
    updates: Vec<(usize, Vec<(String, Value)>)>,
    cx: Context,
    live: Arc<Live>,
    policy: &'a ErrorPolicy,
    observers: Observers,
    began: Instant,
    /// Why the conversation halts, as far as policies and the host say so.
    halts: Vec<Halted>,
    closed: bool,
    limit: Option<&'a OutputLimit>,
    encoder: Option<Encoder>,
}

/// What panics where a policy does.
const POLICY: &str = "the error policy";

/// What is known of one call.
#[derive(Default)]
struct Line<'a> {
    entry: Option<&'a Entry>,
    began: Option<Instant>,
    span: CallSpan,
    /// It has its reply.
    ended: bool,
}

impl<'a> Books<'a> {
    pub(super) fn open(executor: &'a Executor, turn: Turn<'a>, cx: &Context) -> Self {
        let id = BatchId::new();
        let calls = turn.calls;
        let observers = executor.observers.clone();
        let live = Live::new(id, calls.len(), turn.places(), cx, observers.clone());
        let live = Arc::new(live);
        let books = Self {
            id,
            has_content: executor.has_content,
            calls,
            lines: calls.iter().map(|_| Line::default()).collect(),
            replies: Vec::with_capacity(calls.len()),
            ended: Vec::with_capacity(calls.len()),
            updates: Vec::new(),
            cx: cx.clone().in_batch(live.clone()),
            live,
            policy: &executor.on_error,
            observers,
            began: Instant::now(),
            halts: Vec::new(),
            closed: false,
            limit: executor.output.as_ref(),
            encoder: executor.encoder,
        };
        books.observers.tell(&Event::BatchStarted {
            batch_id: id,
            cx: &books.cx,
            calls,
        });
        books
    }

    /// The context of the batch's calls.
    pub(super) fn context(&self) -> Context {
        self.cx.clone()
    }

    fn tell_started(&self, index: usize) {
        if let Some(call) = self.calls.get(index) {
            self.observers.tell(&Event::Started {
                batch_id: self.id,
                cx: &self.cx,
                index,
                call,
                redacted: self.redacted(index, call),
            });
        }
    }

    /// A call's arguments, as they may be logged.
    fn redacted<'s>(&'s self, index: usize, call: &'s ToolCall) -> Redacted<'s> {
        let entry = self.lines.get(index).and_then(|line| line.entry);
        Redacted::new(call, entry.map(Entry::tool))
    }

    /// A call's tool is there.
    pub(super) fn known(&mut self, index: usize, entry: &'a Entry) {
        if let Some(line) = self.lines.get_mut(index) {
            line.entry = Some(entry);
        }
    }

    /// A call begins, right after the one that began at `last`, if one did: where nobody looks on, no code but ours ran
    /// since, and one look at the clock does for all.
    pub(super) fn start(&mut self, index: usize, last: Option<Instant>) -> (Instant, CallSpan) {
        self.open_span(index);
        let line = self.lines.get_mut(index);
        let span = line.as_ref().map(|line| line.span.clone());
        let span = span.unwrap_or_default();
        let looks_on = !self.observers.is_empty();
        let began = match last {
            Some(last) if !looks_on && span.is_none() => last,
            _ => Instant::now(),
        };
        if let Some(line) = line {
            line.began = Some(began);
        }
        if looks_on {
            self.tell_started(index);
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
        if let (Some(line), Some(span)) = (self.lines.get_mut(index), span) {
            line.span = span;
        }
    }

    /// A call waits for a person or the host.
    pub(super) fn wait(
        &mut self,
        index: usize,
        call: ToolCall,
        reason: PendingReason,
        repairs: Vec<Repair>,
    ) {
        self.live.close(index);
        let pending = Pending {
            index,
            place: self.live.place(index),
            call,
            reason,
            repairs: repairs.into(),
        };
        if let Some(call) = self.calls.get(index) {
            self.tell_repaired(index, call, &pending.repairs);
        }
        self.observers.tell(&Event::Pending {
            batch_id: self.id,
            cx: &self.cx,
            pending: &pending,
            redacted: self.redacted(index, &pending.call),
        });
        if self.ends(index) {
            self.replies.push(Reply::Pending(pending));
        }
    }

    /// A call is answered without running. Whether the batch ends with it.
    pub(super) fn refuse(&mut self, index: usize, outcome: Result<Outcome, ToolError>) -> bool {
        self.open_span(index);
        self.tell_started(index);
        self.answer(index, outcome, Vec::new())
    }

    /// A call came to its end. Whether the batch ends with it.
    pub(super) fn finish(&mut self, ran: Ran) -> bool {
        match ran.handled {
            Handled::Done(outcome) => self.answer(ran.index, outcome, ran.repairs),
            Handled::Wait(details) => {
                if let Some(call) = self.calls.get(ran.index) {
                    let mut call = call.clone();
                    if let Some(arguments) = ran.waits_with {
                        call.arguments = arguments;
                    }
                    let reason = PendingReason::Decision(details);
                    self.wait(ran.index, call, reason, ran.repairs);
                }
                false
            }
        }
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
        // Whoever said stop is not told that a call of this batch succeeded afterwards.
        let outcome = match outcome {
            Ok(_) if self.cx.cancel_requested() => Err(cancelled()),
            outcome => outcome,
        };
        let mut result = self.result(index, call, outcome, repairs);
        // Whatever is said in its place, a call that failed is one.
        let failure = result.outcome.as_ref().err().map(ToolError::kind);
        let ends = self.failed(index, call, &mut result);
        if let Some(limit) = self.limit {
            limit.apply(&mut result, self.cx.session_id());
        }
        self.answered(index, call, &result, failure);
        if self.ends(index) {
            self.replies.push(Reply::Answered(result));
        }
        ends
    }

    /// Asks the policy, if the call failed. Whether the batch ends with it.
    fn failed(&mut self, index: usize, call: &ToolCall, result: &mut ToolResult) -> bool {
        let error = match &result.outcome {
            Err(error) if error.kind() != ErrorKind::Cancelled => error,
            _ => return false,
        };
        let says = match self.policy.ask(call, error) {
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
                let mut replaced = ToolResult::new(call, Ok(outcome));
                if let Some(Err(error)) = self.encoder.map(|encoder| encoder.check(&replaced)) {
                    replaced.outcome = Err(error);
                }
                match replaced.outcome {
                    Ok(outcome) => result.outcome = Ok(outcome),
                    Err(_) => self.halts.push(Halted::ToolError { index }),
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
        let line = self.lines.get(index);
        let entry = line.and_then(|line| line.entry);
        let mut result = ToolResult::new(call, outcome);
        result.repairs = repairs.into();
        if let Some(began) = line.and_then(|line| line.began) {
            result.duration = began.elapsed();
        }
        if let Some(entry) = entry {
            result.attributes = entry.attributes().clone();
            if entry.traits().return_direct {
                result.outcome = result.outcome.map(Outcome::into_direct);
            }
        }
        if !is_written(&result.outcome) {
            result.outcome = result.outcome.map(Outcome::unmarked);
        }
        if let Some(Err(error)) = self.encoder.map(|encoder| encoder.check(&result)) {
            result.outcome = Err(error);
        }
        result
    }

    /// The answer stands. What the call changed counts if it succeeded and asks nobody.
    fn answered(
        &mut self,
        index: usize,
        call: &ToolCall,
        result: &ToolResult,
        failure: Option<ErrorKind>,
    ) {
        let updates = self.live.close(index);
        if matches!(failure, Some(ErrorKind::Timeout | ErrorKind::Cancelled)) {
            self.live.stop(index);
        }
        if !self.observers.is_empty() {
            self.tell_answered(index, call, result);
        }
        if let Some(line) = self.lines.get_mut(index) {
            std::mem::take(&mut line.span).end(result);
        }
        let asks = matches!(result.outcome, Ok(Outcome::AskUser { .. }));
        if failure.is_none() && !asks && !updates.is_empty() {
            self.updates.push((index, updates));
        }
    }

    fn tell_repaired(&self, index: usize, call: &ToolCall, repairs: &[Repair]) {
        if repairs.is_empty() || self.observers.is_empty() {
            return;
        }
        self.observers.tell(&Event::Repaired {
            batch_id: self.id,
            cx: &self.cx,
            index,
            call,
            redacted: self.redacted(index, call),
            repairs,
        });
    }

    fn tell_answered(&self, index: usize, call: &ToolCall, result: &ToolResult) {
        self.tell_repaired(index, call, &result.repairs);
        let (batch_id, cx, redacted) = (self.id, &self.cx, self.redacted(index, call));
        self.observers.tell(&Event::Finished {
            batch_id,
            cx,
            index,
            call,
            redacted,
            result,
        });
    }

    /// Whether this reply, which follows, is the call's first.
    fn ends(&mut self, index: usize) -> bool {
        let line = self.lines.get_mut(index);
        let ends = line.is_some_and(|line| !std::mem::replace(&mut line.ended, true));
        if ends {
            self.ended.push(index);
        }
        ends
    }

    /// A policy ends the batch before anything ran.
    pub(super) fn abort(&mut self, index: usize) {
        self.halts.push(Halted::Aborted { index });
    }

    /// The host said stop.
    pub(super) fn cancelled(&mut self) {
        self.halts.push(Halted::Cancelled);
    }

    /// Answers whatever is open with this error, in call order.
    pub(super) fn end_with(&mut self, error: &ToolError) {
        if self.ended.len() == self.lines.len() {
            return;
        }
        for index in 0..self.calls.len() {
            if self.lines.get(index).is_some_and(|line| !line.ended) {
                let error = error.clone();
                let error = if self.live.is_elsewhere(index) {
                    not_stopped(error)
                } else {
                    error
                };
                self.answer(index, Err(error), Vec::new());
            }
        }
    }

    /// All is over.
    pub(super) fn close(mut self) -> Batch {
        self.end()
    }

    fn end(&mut self) -> Batch {
        self.closed = true;
        if self.cx.cancel_requested() && !self.halts.contains(&Halted::Cancelled) {
            self.cancelled();
        }
        self.end_with(&cancelled());
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
        self.observers.tell(&batch_ended);
        batch
    }

    /// What became of each call, once each has its reply.
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

/// A batch whose future was dropped: nobody gets its answers, but whoever looks on learns them.
impl Drop for Books<'_> {
    fn drop(&mut self) {
        if !self.closed {
            self.cancelled();
            self.end();
        }
    }
}

#[cold]
fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "the call was cancelled")
}
