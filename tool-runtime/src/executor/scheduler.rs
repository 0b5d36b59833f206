//! Scheduler of a batch: starts calls as far as limits allow, collects their outcomes, and cancels those that do not
//! end.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tokio::time::Instant;

use super::Executor;
use super::batch_state::BatchState;
use super::body::{self, BatchEnv};
use super::call_set::CallSet;
use super::deadline::Timer;
use super::runner::{RunnerQueue, Runs};
use super::turn::Job;
use crate::executor::Batch;
use crate::tool::Cancel;
use toolwright_provider::call::{ErrorKind, ToolError};

/// Reason why a batch ends.
enum BatchEnd {
    /// All calls have ended, or a policy ends the batch.
    Done,
    Cancelled,
    TimedOut,
}

/// Runs all jobs, started in call order.
pub(super) async fn run_jobs<'a>(
    executor: &'a Executor,
    jobs: Vec<Job<'a>>,
    mut state: BatchState<'a>,
    stop: Option<Cancel>,
) -> Batch {
    let env = BatchEnv {
        cx: state.context(),
        limit: executor.timeout,
        layers: &executor.layers,
        blocking: &executor.blocking,
        queue: executor.runner.as_deref().map(RunnerQueue::new),
        unknown_outcome: executor.unknown_outcome,
        shared: state.shared(),
        executor,
    };
    let whole = executor.batch_timeout;
    let mut end = Timer::at(whole.and_then(|limit| Instant::now().checked_add(limit)));
    // Declared after the state: if the caller drops this future, the calls are dropped first, and then the state
    // reports them as cancelled.
    let mut calls = CallSet::of(jobs.len());
    let mut runs = Runs::default();
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
                let exclusive = job.entry.options().exclusive;
                if exclusive && calls.running() > 0 {
                    break;
                }
                alone = exclusive;
                let (began, span) = state.start(job.index, last);
                last = Some(began);
                calls.start(body::in_span(job, began, &env, span));
                to_run.next();
            }
            if stopped.as_mut().poll(task).is_ready() {
                return Poll::Ready(BatchEnd::Cancelled);
            }
            if end.poll(task).is_ready() {
                return Poll::Ready(BatchEnd::TimedOut);
            }
            match calls.poll(task) {
                Poll::Ready(Some(finished)) => {
                    alone = false;
                    if state.finish(finished) {
                        return Poll::Ready(BatchEnd::Done);
                    }
                }
                Poll::Ready(None) => return Poll::Ready(BatchEnd::Done),
                Poll::Pending => {
                    if let Some(queue) = &env.queue {
                        runs.poll(queue, task);
                    }
                    return Poll::Pending;
                }
            }
        }
    });
    match driven.await {
        BatchEnd::Done => {}
        BatchEnd::Cancelled => state.cancelled(),
        BatchEnd::TimedOut => {
            let limit = whole.unwrap_or_default();
            let words = format!("the calls of this turn did not end within {limit:?}");
            state.answer_open_calls(&ToolError::new(ErrorKind::Timeout, words));
        }
    }
    // Calls in flight are dropped before they are answered as cancelled.
    drop(calls);
    drop(runs);
    state.close()
}
