//! A gate that lets batches with calls of `exclusive` tools run alone.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::deadline::Timer;
use crate::tool::Cancel;

/// Gate that lets calls of `exclusive` tools run alone, in all [executors](super::Executor::exclusive_across) that share it.
///
/// Clones share one gate.
#[derive(Debug, Clone, Default)]
pub struct ExclusiveGate(Arc<GateState>);

#[derive(Debug, Default)]
struct GateState {
    running: Mutex<RunningCounts>,
    /// Notified when no batch runs.
    free: Notify,
}

#[derive(Debug, Default)]
struct RunningCounts {
    count: usize,
    is_exclusive_running: bool,
}

/// Permission to run, until it is dropped.
pub(super) struct Permit<'g>(&'g GateState);

/// Result of waiting at the gate.
pub(super) enum Admission<'g> {
    /// Without a permit if there is no gate.
    Admitted(Option<Permit<'g>>),
    Cancelled,
    TimedOut(Duration),
}

impl ExclusiveGate {
    /// Waits until a batch may run, for this time at most.
    pub(super) async fn admit(
        &self,
        is_exclusive: bool,
        limit: Option<Duration>,
        stop: Option<&Cancel>,
    ) -> Admission<'_> {
        let mut late = Timer::at(limit.and_then(|limit| Instant::now().checked_add(limit)));
        let mut stopped = pin!(async {
            match stop {
                Some(stop) => stop.cancelled().await,
                None => std::future::pending().await,
            }
        });
        loop {
            let mut free = pin!(self.0.free.notified());
            // Enabled before the check, so that no notification is missed.
            free.as_mut().enable();
            if self.0.running().try_begin(is_exclusive) {
                return Admission::Admitted(Some(Permit(&self.0)));
            }
            let ended = poll_fn(|task| {
                if free.as_mut().poll(task).is_ready() {
                    return Poll::Ready(None);
                }
                if stopped.as_mut().poll(task).is_ready() {
                    return Poll::Ready(Some(Admission::Cancelled));
                }
                let late = late.poll(task);
                late.map(|()| Some(Admission::TimedOut(limit.unwrap_or_default())))
            });
            if let Some(ended) = ended.await {
                return ended;
            }
        }
    }
}

impl GateState {
    fn running(&self) -> MutexGuard<'_, RunningCounts> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningCounts {
    fn try_begin(&mut self, is_exclusive: bool) -> bool {
        if self.is_exclusive_running || (is_exclusive && self.count > 0) {
            return false;
        }
        self.is_exclusive_running = is_exclusive;
        self.count += 1;
        true
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut running = self.0.running();
        running.count -= 1;
        if running.count == 0 {
            running.is_exclusive_running = false;
            drop(running);
            self.0.free.notify_waiters();
        }
    }
}
