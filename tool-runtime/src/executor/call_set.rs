//! Calls in flight. They are polled in the order in which they were woken.
//!
//! `FuturesUnordered` would do, but for `tests/shuttle`, which explores the schedules of this lock alone.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::task::{Context as TaskContext, Poll, Wake, Waker};

use super::body::{FinishedCall, RunningCall};
use crate::sync::{Mutex, MutexGuard};

/// Calls in flight, and the queue of those that were woken.
pub(super) struct CallSet<'a> {
    /// Calls in the order of their start; `None` once ended.
    calls: Vec<Option<CallSlot<'a>>>,
    /// Number of calls in flight.
    running: usize,
    /// Number of calls that were polled at least once.
    begun: usize,
    /// Woken calls, which are polled before new ones.
    ready: VecDeque<usize>,
    /// A call was polled since the last `Pending`.
    polled: bool,
    queue: Arc<WakeQueue>,
}

struct CallSlot<'a> {
    call: RunningCall<'a>,
    waker: Waker,
}

impl<'a> CallSet<'a> {
    /// Makes a set with room for all calls of a batch.
    pub(super) fn of(calls: usize) -> Self {
        Self {
            calls: Vec::with_capacity(calls),
            running: 0,
            begun: 0,
            ready: VecDeque::new(),
            polled: false,
            queue: WakeQueue::of(calls),
        }
    }

    /// Returns the number of calls in flight.
    pub(super) fn running(&self) -> usize {
        self.running
    }

    pub(super) fn start(&mut self, call: RunningCall<'a>) {
        let (queue, place) = (Arc::clone(&self.queue), self.calls.len());
        let waker = Waker::from(Arc::new(CallWaker { queue, place }));
        self.calls.push(Some(CallSlot { call, waker }));
        self.running += 1;
    }

    /// Returns the next call that ends; `None` if none is in flight. Between two `Pending` each call is polled at most
    /// once.
    pub(super) fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<Option<FinishedCall>> {
        if !self.polled {
            self.queue.take(&mut self.ready);
        }
        while let Some(place) = self.next() {
            self.polled = true;
            if let Some(finished) = self.poll_call(place) {
                return Poll::Ready(Some(finished));
            }
        }
        if self.running == 0 {
            return Poll::Ready(None);
        }
        self.polled = false;
        self.queue.wait(task.waker());
        Poll::Pending
    }

    fn next(&mut self) -> Option<usize> {
        self.ready.pop_front().or_else(|| {
            let place = self.begun;
            self.begun = self.calls.len().min(place + 1);
            (place < self.begun).then_some(place)
        })
    }

    /// Polls one call. If it ends, it is removed and its outcome returned.
    fn poll_call(&mut self, place: usize) -> Option<FinishedCall> {
        let slot = self.calls.get_mut(place)?;
        let CallSlot { call, waker } = slot.as_mut()?;
        let polled = call.as_mut().poll(&mut TaskContext::from_waker(waker));
        let Poll::Ready(finished) = polled else {
            return None;
        };
        *slot = None;
        self.running -= 1;
        Some(finished)
    }
}

/// Wakers that outlive the set wake nothing.
impl Drop for CallSet<'_> {
    fn drop(&mut self) {
        let all = std::mem::take(&mut *self.queue.all());
        drop(all);
    }
}

/// Calls that were woken since they were last polled.
struct WakeQueue(Mutex<WokenCalls>);

#[derive(Default)]
struct WokenCalls {
    /// Places in the order of their wakes, each once.
    order: VecDeque<usize>,
    /// By place: true if it is in `order`.
    queued: Vec<bool>,
    /// Waker of the batch's task, while that is pending.
    task: Option<Waker>,
}

impl WakeQueue {
    fn of(calls: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(WokenCalls {
            queued: vec![false; calls],
            ..WokenCalls::default()
        })))
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn all(&self) -> MutexGuard<'_, WokenCalls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, place: usize) {
        let mut all = self.all();
        let is_new = all
            .queued
            .get_mut(place)
            .map(|queued| !std::mem::replace(queued, true));
        if is_new == Some(true) {
            all.order.push_back(place);
            let task = all.task.take();
            drop(all);
            if let Some(task) = task {
                task.wake();
            }
        }
    }

    /// Moves the woken calls to `ready`, which is empty.
    fn take(&self, ready: &mut VecDeque<usize>) {
        let all = &mut *self.all();
        std::mem::swap(&mut all.order, ready);
        for place in ready {
            if let Some(has) = all.queued.get_mut(*place) {
                *has = false;
            }
        }
    }

    /// Wakes the task at the next wake of a call, or now if there was one.
    fn wait(&self, task: &Waker) {
        let waits = task.clone();
        let mut all = self.all();
        if all.order.is_empty() {
            let before = all.task.replace(waits);
            drop(all);
            drop(before);
        } else {
            drop(all);
            waits.wake();
        }
    }
}

/// Wakes one call.
struct CallWaker {
    queue: Arc<WakeQueue>,
    place: usize,
}

impl Wake for CallWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.queue.add(self.place);
    }
}
