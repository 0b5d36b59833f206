//! One call in flight on the task of its batch.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use tokio::time::Instant;

use super::body::{self, Answered, BatchEnv, FinishedCall, out_of_time};
use super::deadline::Limited;
use super::dispatch::Job;
use super::span::CallSpan;
use crate::tool::{Call, Contained, items};

/// A call in flight. Thousands of these may be pending at once, so rare parts are boxed.
pub(super) struct RunningCall<'a> {
    job: &'a Job<'a>,
    env: &'a BatchEnv<'a>,
    began: Instant,
    phase: Phase<'a>,
}

enum Phase<'a> {
    /// It was not polled yet.
    NotStarted,
    /// The tool's code runs.
    Plain(Limited<Contained<'a, Answered>>),
    /// It runs with layers, a span, or elsewhere.
    Boxed(Pin<Box<dyn Future<Output = FinishedCall> + Send + 'a>>),
}

impl<'a> RunningCall<'a> {
    pub(super) fn new(
        job: &'a Job<'a>,
        began: Instant,
        env: &'a BatchEnv<'a>,
        span: CallSpan,
    ) -> Self {
        let options = job.entry.options();
        let is_plain = env.layers.is_empty()
            && env.desk.is_none()
            && span.is_none()
            && !job.plan.is_approval()
            && !job.entry.needs_approval()
            && !options.blocking
            && !env.is_background(job.entry);
        let phase = if is_plain {
            Phase::NotStarted
        } else {
            Phase::Boxed(Box::pin(body::in_span(job, began, env, span)))
        };
        Self {
            job,
            env,
            began,
            phase,
        }
    }

    fn call(&self) -> Call<'a> {
        let Job { call, store, .. } = self.job;
        let call = self.job.entry.call(call, store, &self.env.cx);
        let call = call.at(self.job.index);
        call.stored(self.job.plan.is_stored())
    }

    fn finished(&self, answer: Answered) -> FinishedCall {
        FinishedCall::plain(self.job, answer)
    }

    /// Starts the tool's code. Returns the outcome if it is there at once.
    pub(super) fn begin(&mut self) -> Option<FinishedCall> {
        if !matches!(self.phase, Phase::NotStarted) {
            return None;
        }
        let first = match body::first(self.job.entry, self.call()) {
            Ok(first) => first,
            Err(answer) if self.runs_again(&answer) => return None,
            Err(answer) => return Some(self.finished(answer)),
        };
        self.phase = Phase::Plain(self.env.within(self.began, self.job.entry, first));
        None
    }

    pub(super) fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<FinishedCall> {
        loop {
            let answer = match &mut self.phase {
                Phase::NotStarted => return Poll::Pending,
                Phase::Boxed(other) => return other.as_mut().poll(task),
                Phase::Plain(limited) => match Pin::new(limited).poll(task) {
                    Poll::Ready(answer) => answer
                        .map_err(|late| out_of_time(&self.env.cx, self.job.index, late))
                        .flatten(),
                    Poll::Pending => return Poll::Pending,
                },
            };
            match items::stream_of(&answer) {
                Some(stream) => self.continue_with(items::read(stream, self.call())),
                None if self.runs_again(&answer) => {}
                None => return Poll::Ready(self.finished(answer)),
            }
        }
    }

    /// Lets a call of unknown outcome run again, if that is harmless. Returns false if it is not.
    fn runs_again(&mut self, answer: &Answered) -> bool {
        let again = self.env.runs_again(self.job.entry, answer);
        if again {
            self.phase = Phase::Boxed(Box::pin(body::again(self.job, self.env)));
        }
        again
    }

    fn continue_with(&mut self, next: Contained<'a, Answered>) {
        match &mut self.phase {
            Phase::Plain(limited) => limited.continue_with(next),
            Phase::NotStarted | Phase::Boxed(_) => {}
        }
    }
}
