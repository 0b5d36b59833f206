//! Deadlines: one timer for all calls of a batch, and one for each tool with a time limit of its own.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::call_set::CallSet;
use toolwright_provider::call::{ErrorKind, ToolError, contained};

/// Time limit that all calls of a batch share, each from its own start.
pub(super) struct Deadlines {
    limit: Option<Duration>,
    waiting: Mutex<Waiting>,
}

/// Pending calls in the order of their deadlines. They have one limit, so that is the order of their start.
#[derive(Default)]
struct Waiting {
    calls: VecDeque<Due>,
    /// Number of the first call. Each new one gets the next number.
    first: u64,
    /// All deadlines up to here have expired.
    expired: Option<Instant>,
}

struct Due {
    at: Instant,
    /// `None` once the call has ended.
    wake: Option<Waker>,
}

impl Waiting {
    fn get(&mut self, number: u64) -> Option<&mut Due> {
        let place = number.checked_sub(self.first)?;
        self.calls.get_mut(usize::try_from(place).ok()?)
    }

    fn add(&mut self, at: Instant, wake: Waker) -> u64 {
        let number = self.first + self.calls.len() as u64;
        // A call that began a moment before the last one shares its deadline, so the queue stays sorted.
        let at = self.calls.back().map_or(at, |last| last.at.max(at));
        let wake = Some(wake);
        self.calls.push_back(Due { at, wake });
        number
    }

    fn pop(&mut self) -> Option<Due> {
        let due = self.calls.pop_front()?;
        self.first += 1;
        Some(due)
    }

    fn end(&mut self, number: u64) -> Option<Waker> {
        let wake = self.get(number)?.wake.take();
        while self.calls.front().is_some_and(|due| due.wake.is_none()) {
            self.pop();
        }
        wake
    }
}

impl Deadlines {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            waiting: Mutex::default(),
        }
    }

    pub(super) fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Limits a future to a time from `began`: the tool's `own`, or the shared one.
    pub(super) fn within<F>(
        &self,
        began: Instant,
        own: Option<Duration>,
        future: F,
    ) -> Limited<'_, F> {
        let deadline = match (own, self.limit) {
            (Some(own), _) => Deadline::Own(Timer::at(began.checked_add(own)), own),
            // A deadline beyond the clock's range is no limit.
            (None, Some(limit)) => match began.checked_add(limit) {
                Some(at) => Deadline::Shared { at, number: None },
                None => Deadline::Never,
            },
            (None, None) => Deadline::Never,
        };
        Limited {
            deadlines: self,
            deadline,
            future,
        }
    }

    fn earliest(&self) -> Option<Instant> {
        Some(self.waiting().calls.front()?.at)
    }

    /// Wakes all calls whose deadline has passed.
    fn expire(&self, now: Instant) {
        let mut waiting = self.waiting();
        waiting.expired = Some(now);
        let mut due = Vec::new();
        while waiting.calls.front().is_some_and(|first| first.at <= now) {
            due.extend(waiting.pop().and_then(|first| first.wake));
        }
        drop(waiting);
        due.into_iter().for_each(Waker::wake);
    }
}

/// A future with a deadline.
pub(super) struct Limited<'c, F> {
    deadlines: &'c Deadlines,
    deadline: Deadline,
    future: F,
}

impl<F> Limited<'_, F> {
    /// Replaces the future; the deadline stays.
    pub(super) fn continue_with(&mut self, next: F) {
        self.future = next;
    }
}

enum Deadline {
    Never,
    Own(Timer, Duration),
    Shared {
        at: Instant,
        /// Its number in the queue, once it is pending.
        number: Option<u64>,
    },
}

impl<F: Future + Unpin> Future for Limited<'_, F> {
    type Output = Result<F::Output, ToolError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let Poll::Ready(done) = Pin::new(&mut this.future).poll(task) {
            return Poll::Ready(Ok(done));
        }
        match &mut this.deadline {
            Deadline::Never => Poll::Pending,
            Deadline::Own(timer, own) => timer.poll(task).map(|()| Err(timed_out(*own))),
            Deadline::Shared { at, number } => {
                let mut waiting = this.deadlines.waiting();
                if waiting.expired.is_some_and(|expired| expired >= *at) {
                    let limit = this.deadlines.limit.unwrap_or_default();
                    return Poll::Ready(Err(timed_out(limit)));
                }
                match number.and_then(|number| waiting.get(number)) {
                    // A layer may poll with another waker.
                    Some(Due {
                        wake: Some(wake), ..
                    }) => wake.clone_from(task.waker()),
                    _ => *number = Some(waiting.add(*at, task.waker().clone())),
                }
                Poll::Pending
            }
        }
    }
}

/// Removes the call from the queue.
impl<F> Drop for Limited<'_, F> {
    fn drop(&mut self) {
        if let Deadline::Shared {
            number: Some(number),
            ..
        } = self.deadline
        {
            let wake = self.deadlines.waiting().end(number);
            drop(wake);
        }
    }
}

#[cold]
pub(super) fn timed_out(limit: Duration) -> ToolError {
    ToolError::new(
        ErrorKind::Timeout,
        format!("the tool did not answer within {limit:?}"),
    )
}

/// Sleeps. Outside a tokio runtime with timers it returns at once.
pub(crate) async fn pause(time: Duration) {
    let mut timer = Timer::at(Instant::now().checked_add(time));
    if timer.0.is_some() {
        poll_fn(|task| timer.poll(task)).await;
    }
}

/// Timer for the next deadline of a batch.
#[derive(Default)]
pub(super) struct DeadlineTimer {
    timer: Option<Timer>,
    /// First call without layers that may still have a deadline. All have one limit, so deadlines are in the order of
    /// start.
    oldest: usize,
}

impl DeadlineTimer {
    /// Wakes calls whose deadline has passed, and arms the timer for the next one.
    pub(super) fn poll(
        &mut self,
        deadlines: &Deadlines,
        calls: &mut CallSet<'_>,
        task: &mut TaskContext<'_>,
    ) {
        if deadlines.limit.is_none() {
            return;
        }
        loop {
            // While calls end in time, only the first of them arms a timer.
            let timer = match &mut self.timer {
                Some(timer) => timer,
                None => match self.earliest(deadlines, calls) {
                    Some(first) => self.timer.insert(Timer::at(Some(first))),
                    None => return,
                },
            };
            if timer.poll(task).is_pending() {
                return;
            }
            self.timer = None;
            self.expire(deadlines, calls);
        }
    }

    fn earliest(&mut self, deadlines: &Deadlines, calls: &mut CallSet<'_>) -> Option<Instant> {
        let first = calls
            .from(self.oldest)
            .find_map(|(place, call)| Some((place, call.deadline()?)));
        self.oldest = first.map_or(calls.started(), |(place, _)| place);
        first
            .map(|(_, due)| due)
            .into_iter()
            .chain(deadlines.earliest())
            .min()
    }

    fn expire(&mut self, deadlines: &Deadlines, calls: &mut CallSet<'_>) {
        let now = Instant::now();
        let mut due = Vec::new();
        for (place, call) in calls.from(self.oldest) {
            match call.deadline() {
                Some(at) if at > now => break,
                Some(_) => {
                    call.expire();
                    due.push(place);
                }
                None => {}
            }
        }
        for place in due {
            calls.wake(place);
        }
        deadlines.expire(now);
    }
}

/// A timer for one point in time; never fires without a clock.
pub(super) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Makes a timer. Outside of a tokio runtime, and in one without a clock, it never fires.
    pub(super) fn at(time: Option<Instant>) -> Self {
        let running = time.filter(|_| tokio::runtime::Handle::try_current().is_ok());
        // A runtime without a clock panics here.
        Self(running.and_then(|time| contained(|| Box::pin(sleep_until(time))).ok()))
    }

    /// Returns true if it can fire.
    pub(super) fn runs(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        match &mut self.0 {
            Some(sleep) => match contained(|| sleep.as_mut().poll(task)) {
                Ok(expired) => expired,
                Err(_) => {
                    self.0 = None;
                    Poll::Pending
                }
            },
            None => Poll::Pending,
        }
    }
}
