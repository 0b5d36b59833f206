//! Time limits: one timer for all calls of a batch, and one more for each tool that declares its own.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::turns::Turns;
use toolwright_provider::call::{ErrorKind, ToolError, contained};

/// The limit that the calls of a batch share, each from its own start.
pub(super) struct Clock {
    limit: Option<Duration>,
    waiting: Mutex<Waiting>,
}

/// The calls that wait, in the order in which they are due: all have one limit, so that is the order in
/// which they began to wait.
#[derive(Default)]
struct Waiting {
    calls: VecDeque<Due>,
    /// The number of the first of them: each that begins to wait gets the next one.
    first: u64,
    /// The timer has rung for all that was due until then.
    rung: Option<Instant>,
}

struct Due {
    at: Instant,
    /// None once the call has ended.
    wake: Option<Waker>,
}

impl Waiting {
    fn get(&mut self, number: u64) -> Option<&mut Due> {
        let place = number.checked_sub(self.first)?;
        self.calls.get_mut(usize::try_from(place).ok()?)
    }

    fn add(&mut self, at: Instant, wake: Waker) -> u64 {
        let number = self.first + self.calls.len() as u64;
        // A call waits as soon as it begins; one that began a moment before the last is due with it.
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

impl Clock {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            waiting: Mutex::default(),
        }
    }

    pub(super) fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// Nothing is left half done under this lock.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `future` comes to, if it does so in time after `began`: in `own` time if the tool declares
    /// one.
    pub(super) fn within<F>(
        &self,
        began: Instant,
        own: Option<Duration>,
        future: F,
    ) -> Limited<'_, F> {
        let until = match (own, self.limit) {
            (Some(own), _) => Until::Own(Timer::at(began.checked_add(own)), own),
            // What no clock can count to is no limit.
            (None, Some(limit)) => match began.checked_add(limit) {
                Some(at) => Until::Shared { at, number: None },
                None => Until::Never,
            },
            (None, None) => Until::Never,
        };
        Limited {
            clock: self,
            until,
            future,
        }
    }

    fn earliest(&self) -> Option<Instant> {
        Some(self.waiting().calls.front()?.at)
    }

    /// Wakes all calls whose time is over.
    fn ring(&self, now: Instant) {
        let mut waiting = self.waiting();
        waiting.rung = Some(now);
        let mut due = Vec::new();
        while waiting.calls.front().is_some_and(|first| first.at <= now) {
            due.extend(waiting.pop().and_then(|first| first.wake));
        }
        drop(waiting);
        due.into_iter().for_each(Waker::wake);
    }
}

/// A future that is heard for as long as it may run.
pub(super) struct Limited<'c, F> {
    clock: &'c Clock,
    until: Until,
    future: F,
}

impl<F> Limited<'_, F> {
    /// Goes on with what comes next, for as long as is left.
    pub(super) fn go_on(&mut self, next: F) {
        self.future = next;
    }
}

enum Until {
    Never,
    Own(Timer, Duration),
    Shared {
        at: Instant,
        /// Under which it waits, once it does.
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
        match &mut this.until {
            Until::Never => Poll::Pending,
            Until::Own(timer, own) => timer.poll(task).map(|()| Err(timed_out(*own))),
            Until::Shared { at, number } => {
                let mut waiting = this.clock.waiting();
                if waiting.rung.is_some_and(|rung| rung >= *at) {
                    let limit = this.clock.limit.unwrap_or_default();
                    return Poll::Ready(Err(timed_out(limit)));
                }
                match number.and_then(|number| waiting.get(number)) {
                    // A layer may poll with a waker of its own.
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

/// Nobody waits for it any more.
impl<F> Drop for Limited<'_, F> {
    fn drop(&mut self) {
        if let Until::Shared {
            number: Some(number),
            ..
        } = self.until
        {
            let wake = self.clock.waiting().end(number);
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

/// Waits, where a clock runs; elsewhere it is over at once.
pub(crate) async fn pause(time: Duration) {
    let mut timer = Timer::at(Instant::now().checked_add(time));
    if timer.0.is_some() {
        poll_fn(|task| timer.poll(task)).await;
    }
}

/// The timer of a batch: it rings when the first of its calls is due, or earlier.
#[derive(Default)]
pub(super) struct Bell {
    timer: Option<Timer>,
    /// Of the calls without layers those before this one are not due any more. They have one limit, and so are due in the
    /// order in which they began.
    oldest: usize,
}

impl Bell {
    /// Wakes what is due, and has the task woken when the next one is.
    pub(super) fn poll(
        &mut self,
        clock: &Clock,
        calls: &mut Turns<'_>,
        task: &mut TaskContext<'_>,
    ) {
        if clock.limit.is_none() {
            return;
        }
        loop {
            // Of calls that end in time only the first one costs a timer.
            let timer = match &mut self.timer {
                Some(timer) => timer,
                None => match self.earliest(clock, calls) {
                    Some(first) => self.timer.insert(Timer::at(Some(first))),
                    None => return,
                },
            };
            if timer.poll(task).is_pending() {
                return;
            }
            self.timer = None;
            self.ring(clock, calls);
        }
    }

    fn earliest(&mut self, clock: &Clock, calls: &mut Turns<'_>) -> Option<Instant> {
        let first = calls
            .from(self.oldest)
            .find_map(|(place, call)| Some((place, call.due()?)));
        self.oldest = first.map_or(calls.started(), |(place, _)| place);
        first
            .map(|(_, due)| due)
            .into_iter()
            .chain(clock.earliest())
            .min()
    }

    fn ring(&mut self, clock: &Clock, calls: &mut Turns<'_>) {
        let now = Instant::now();
        let mut due = Vec::new();
        for (place, call) in calls.from(self.oldest) {
            match call.due() {
                Some(at) if at > now => break,
                Some(_) => {
                    call.is_late();
                    due.push(place);
                }
                None => {}
            }
        }
        for place in due {
            calls.wake(place);
        }
        clock.ring(now);
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

    /// Whether it can ring.
    pub(super) fn runs(&self) -> bool {
        self.0.is_some()
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
