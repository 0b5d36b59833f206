//! Time limits of calls.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use toolwright_provider::call::{ErrorKind, ToolError, contained};

/// Shortest time after which a time limit that does not run is looked at again.
const AGAIN: Duration = Duration::from_secs(1);

/// Runs a future within a time from `began`. `held` returns the time to add, in which the call waited for people, or `None`
/// while it does.
pub(super) async fn within<F: Future>(
    began: Instant,
    limit: Option<Duration>,
    held: impl Fn() -> Option<Duration>,
    future: F,
) -> Result<F::Output, ToolError> {
    let mut future = pin!(future);
    // Made when the future is pending for the first time, and when the time to add has changed.
    let mut timer: Option<(Option<Duration>, Timer)> = None;
    poll_fn(|task| {
        if let Poll::Ready(done) = future.as_mut().poll(task) {
            return Poll::Ready(Ok(done));
        }
        let Some(limit) = limit else {
            return Poll::Pending;
        };
        loop {
            let held = held();
            if let Some((counted, timer)) = &mut timer
                && *counted == held
            {
                match timer.poll(task) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) if held.is_some() => return Poll::Ready(Err(timed_out(limit))),
                    Poll::Ready(()) => {}
                }
            }
            // A deadline beyond the clock's range is no limit. Code on another thread does not wake this one when a person has
            // answered, so it looks again after a while.
            let end = match held {
                Some(held) => began.checked_add(limit.saturating_add(held)),
                None => Instant::now().checked_add(limit.max(AGAIN)),
            };
            timer = Some((held, Timer::at(end)));
        }
    })
    .await
}

#[cold]
fn timed_out(limit: Duration) -> ToolError {
    ToolError::new(
        ErrorKind::Timeout,
        format!(
            "the tool did not answer within its time limit of {limit:?} (`timeout` of the tool or the executor changes it)"
        ),
    )
}

/// Sleeps. Outside a tokio runtime with timers it returns at once.
pub(crate) async fn pause(time: Duration) {
    let mut timer = Timer::at(Instant::now().checked_add(time));
    if timer.0.is_some() {
        poll_fn(|task| timer.poll(task)).await;
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
