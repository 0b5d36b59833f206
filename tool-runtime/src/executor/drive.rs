//! Runs a batch: starts calls as far as it may, takes in what they come to, and ends what does not
//! end by itself.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tokio::time::Instant;

use super::Executor;
use super::body::Shared;
use super::books::Books;
use super::clock::{Bell, Clock, Timer};
use super::running::RunningCall;
use super::sort::Job;
use super::turns::Turns;
use crate::executor::Batch;
use crate::tool::Cancel;
use toolwright_provider::call::{ErrorKind, ToolError};

/// How a batch ends.
enum End {
    /// Nothing runs any more, or a policy says so.
    Done,
    Cancelled,
    TimedOut,
}

/// Runs all jobs. They are started in call order.
pub(super) async fn drive<'a>(
    executor: &'a Executor,
    jobs: Vec<Job<'a>>,
    mut books: Books<'a>,
    stop: Option<Cancel>,
) -> Batch {
    let shared = Shared {
        cx: books.context(),
        clock: Clock::new(executor.timeout),
        layers: &executor.layers,
        blocking: &executor.blocking,
    };
    let mut bell = Bell::default();
    let whole = executor.batch_timeout;
    let mut end = Timer::at(whole.and_then(|limit| Instant::now().checked_add(limit)));
    // Declared behind the books: if the caller drops this future, the calls are dropped first, and
    // then the books tell what became of them.
    let mut calls = Turns::of(jobs.len());
    let mut stopped = pin!(async {
        match &stop {
            Some(stop) => stop.cancelled().await,
            None => std::future::pending().await,
        }
    });
    let mut to_run = jobs.iter();
    let mut alone = false;
    let driven = poll_fn(|task| {
        loop {
            let mut last = None;
            while calls.running() < executor.at_once.get() && !alone {
                let Some(job) = to_run.as_slice().first() else {
                    break;
                };
                let exclusive = job.entry.traits().exclusive;
                if exclusive && calls.running() > 0 {
                    break;
                }
                alone = exclusive;
                let (began, span) = books.start(job.index, last);
                last = Some(began);
                calls.start(RunningCall::new(job, began, &shared, span));
                to_run.next();
            }
            if stopped.as_mut().poll(task).is_ready() {
                return Poll::Ready(End::Cancelled);
            }
            if end.poll(task).is_ready() {
                return Poll::Ready(End::TimedOut);
            }
            match calls.poll(task) {
                Poll::Ready(Some(ran)) => {
                    alone = false;
                    if books.finish(ran) {
                        return Poll::Ready(End::Done);
                    }
                }
                Poll::Ready(None) => return Poll::Ready(End::Done),
                // Calls that end one after the other come to an end.
                Poll::Pending => {
                    bell.poll(&shared.clock, &mut calls, task);
                    return Poll::Pending;
                }
            }
        }
    });
    match driven.await {
        End::Done => {}
        End::Cancelled => books.cancelled(),
        End::TimedOut => {
            let limit = whole.unwrap_or_default();
            let words = format!("the calls of this turn did not end within {limit:?}");
            books.end_with(&ToolError::new(ErrorKind::Timeout, words));
        }
    }
    // Whatever still runs ends before its call is answered in its place.
    drop(calls);
    books.close()
}
