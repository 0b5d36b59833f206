//! Time limits: one timer for all calls of a batch, and one more for each tool that declares its own.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::contain::contained;
use crate::{ErrorKind, ToolError};

/// The limit that the calls of a batch share, each from its own start.
pub(super) struct Clock {
    limit: Option<Duration>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// Calls that ended stand here until their time; to wake them changes nothing.
    calls: BinaryHeap<Due>,
    /// The timer has rung for all that was due until then.
    rung: Option<Instant>,
}

struct Due {
    at: Instant,
    wake: Waker,
}

impl Ord for Due {
    /// The earliest is the greatest, as a heap wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.cmp(&self.at)
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Due {}

impl Clock {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            waiting: Mutex::default(),
        }
    }

    /// Nothing is left half done under this lock.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `future` comes to, if it does so in time: in `own` time if the tool declares one.
    pub(super) async fn limit<T>(
        &self,
        own: Option<Duration>,
        mut future: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, ToolError> {
        if let Some(own) = own {
            let mut timer = Timer::at(Instant::now().checked_add(own));
            return poll_fn(|task| match future.as_mut().poll(task) {
                Poll::Ready(done) => Poll::Ready(Ok(done)),
                Poll::Pending => timer.poll(task).map(|()| Err(timed_out(own))),
            })
            .await;
        }
        let Some(limit) = self.limit else {
            return Ok(future.await);
        };
        let mut due = None;
        let mut woken: Option<Waker> = None;
        let start = Instant::now();
        poll_fn(|task| {
            if let Poll::Ready(done) = future.as_mut().poll(task) {
                return Poll::Ready(Ok(done));
            }
            // What no clock can count to is no limit.
            let Some(at) = *due.get_or_insert_with(|| start.checked_add(limit)) else {
                return Poll::Pending;
            };
            let mut waiting = self.waiting();
            if waiting.rung.is_some_and(|rung| rung >= at) {
                return Poll::Ready(Err(timed_out(limit)));
            }
            // A layer may poll with a waker of its own.
            if woken
                .as_ref()
                .is_none_or(|waker| !waker.will_wake(task.waker()))
            {
                let wake = task.waker().clone();
                woken = Some(wake.clone());
                waiting.calls.push(Due { at, wake });
            }
            Poll::Pending
        })
        .await
    }

    fn earliest(&self) -> Option<Instant> {
        Some(self.waiting().calls.peek()?.at)
    }

    /// Wakes all calls whose time is over.
    fn ring(&self) {
        let now = Instant::now();
        let mut waiting = self.waiting();
        waiting.rung = Some(now);
        let mut due = Vec::new();
        while waiting.calls.peek().is_some_and(|first| first.at <= now) {
            due.extend(waiting.calls.pop());
        }
        drop(waiting);
        for call in due {
            call.wake.wake();
        }
    }
}

#[cold]
fn timed_out(limit: Duration) -> ToolError {
    ToolError::new(
        ErrorKind::Timeout,
        format!("the tool did not answer within {limit:?}"),
    )
}

/// Waits, where a clock runs; elsewhere it is over at once.
pub(crate) async fn pause(time: Duration) {
    let mut timer = Timer::at(Instant::now().checked_add(time));
    if timer.0.is_some() {
        poll_fn(|task| timer.poll(task)).await;
    }
}

/// The timer of a batch: it rings when the first of its calls is due.
pub(super) struct Bell {
    timer: Timer,
    armed: Option<Instant>,
}

impl Bell {
    pub(super) fn new() -> Self {
        Self {
            timer: Timer::at(None),
            armed: None,
        }
    }

    /// Wakes what is due, and has the task woken when the next one is.
    pub(super) fn poll(&mut self, clock: &Clock, task: &mut TaskContext<'_>) {
        if clock.limit.is_none() {
            return;
        }
        while let Some(first) = clock.earliest() {
            if self.armed != Some(first) {
                self.timer = Timer::at(Some(first));
                self.armed = Some(first);
            }
            match self.timer.poll(task) {
                Poll::Ready(()) => clock.ring(),
                Poll::Pending => return,
            }
        }
    }
}

/// A point in time; none where no clock runs.
pub(super) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Outside of a tokio runtime, and in one that has no clock, it never rings.
    pub(super) fn at(time: Option<Instant>) -> Self {
        let running = time.filter(|_| tokio::runtime::Handle::try_current().is_ok());
        // A runtime without a clock panics where one is asked for.
        Self(running.and_then(|time| contained(|| Box::pin(sleep_until(time))).ok()))
    }

    pub(super) fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        match &mut self.0 {
            Some(sleep) => match contained(|| sleep.as_mut().poll(task)) {
                Ok(rung) => rung,
                Err(_) => {
                    self.0 = None;
                    Poll::Pending
                }
            },
            None => Poll::Pending,
        }
    }
}
