//! One call while it runs on the task of its batch.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use tokio::time::Instant;

use super::body::{self, Answered, Ran, Shared, out_of_time};
use super::clock::{Limited, timed_out};
use super::sort::Job;
use super::span::CallSpan;
use crate::tool::{Call, Contained, items};

/// See the module. Thousands of these wait at once, so it is small: what few calls need is in a box of its own.
pub(super) struct RunningCall<'a> {
    job: &'a Job<'a>,
    shared: &'a Shared<'a>,
    began: Instant,
    does: Does<'a>,
    /// The time that calls have is over.
    is_late: bool,
}

enum Does<'a> {
    /// It has not had its first turn.
    Nothing,
    /// It runs the tool's own code, in the time that all calls of the batch have.
    Here(Contained<'a, Answered>),
    /// The same in its own time.
    Within(Box<Limited<'a, Contained<'a, Answered>>>),
    /// It runs some other way, and sees to its time itself.
    Other(Pin<Box<dyn Future<Output = Ran> + Send + 'a>>),
}

impl<'a> RunningCall<'a> {
    pub(super) fn new(
        job: &'a Job<'a>,
        began: Instant,
        shared: &'a Shared<'a>,
        span: CallSpan,
    ) -> Self {
        let traits = job.entry.traits();
        let is_plain = shared.layers.is_empty()
            && span.is_none()
            && !job.plan.is_approval()
            && !traits.blocking
            && !traits.spawn;
        let does = if is_plain {
            Does::Nothing
        } else {
            Does::Other(Box::pin(body::in_span(job, began, shared, span)))
        };
        Self {
            job,
            shared,
            began,
            does,
            is_late: false,
        }
    }

    fn call(&self) -> Call<'a> {
        let Job { call, store, .. } = self.job;
        let call = self.job.entry.call(call, store, &self.shared.cx);
        call.at(self.job.index)
    }

    fn ran(&self, answer: Answered) -> Ran {
        Ran::plain(self.job, answer)
    }

    /// What the call comes to, if it does so at once. Its first turn begins with this.
    pub(super) fn begin(&mut self) -> Option<Ran> {
        if !matches!(self.does, Does::Nothing) {
            return None;
        }
        let first = match body::first(self.job.entry, self.call()) {
            Ok(first) => first,
            Err(answer) => return Some(self.ran(answer)),
        };
        let own = self.job.entry.traits().timeout;
        self.does = if own.is_none() {
            Does::Here(first)
        } else {
            Does::Within(Box::new(self.shared.clock.within(self.began, own, first)))
        };
        None
    }

    pub(super) fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<Ran> {
        loop {
            let answer = match &mut self.does {
                Does::Nothing => return Poll::Pending,
                Does::Other(other) => return other.as_mut().poll(task),
                Does::Here(later) => match Pin::new(later).poll(task) {
                    Poll::Ready(answer) => answer,
                    Poll::Pending if self.is_late => {
                        let late = timed_out(self.shared.clock.limit().unwrap_or_default());
                        Err(out_of_time(&self.shared.cx, self.job.index, late))
                    }
                    Poll::Pending => return Poll::Pending,
                },
                Does::Within(limited) => match Pin::new(&mut **limited).poll(task) {
                    Poll::Ready(answer) => answer
                        .map_err(|late| out_of_time(&self.shared.cx, self.job.index, late))
                        .flatten(),
                    Poll::Pending => return Poll::Pending,
                },
            };
            match items::stream_of(&answer) {
                Some(stream) => self.go_on(items::read(stream, self.call())),
                None => return Poll::Ready(self.ran(answer)),
            }
        }
    }

    fn go_on(&mut self, next: Contained<'a, Answered>) {
        match &mut self.does {
            Does::Here(later) => *later = next,
            Does::Within(limited) => limited.go_on(next),
            Does::Nothing | Does::Other(_) => {}
        }
    }

    /// When its time will be over, if it waits and has the time that all have.
    pub(super) fn due(&self) -> Option<Instant> {
        match self.does {
            Does::Here(_) if !self.is_late => self.began.checked_add(self.shared.clock.limit()?),
            _ => None,
        }
    }

    /// Its time is over: it ends in its next turn, in any case.
    pub(super) fn is_late(&mut self) {
        self.is_late = true;
    }
}
