//! The calls of a batch that run now: each has its turn when it was woken, those that were in order.
//!
//! What `FuturesUnordered` does for futures of all kinds. These may be moved, so all stand in one list, and one that
//! answers at once costs no waker.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::task::{Context as TaskContext, Poll, Wake, Waker};

use super::body::Ran;
use super::running::RunningCall;
use crate::sync::{Mutex, MutexGuard};

/// See the module.
pub(super) struct Turns<'a> {
    /// In the order in which they were started; one that ended is none.
    calls: Vec<Option<Slot<'a>>>,
    /// How many are not none.
    running: usize,
    /// How many have had their first turn.
    begun: usize,
    /// Those whose turn it is, before those that have not begun.
    turn: VecDeque<usize>,
    /// Whether one had its turn since the batch was polled.
    polled: bool,
    /// Made for the first call that waits.
    queue: Option<Arc<Queue>>,
}

struct Slot<'a> {
    call: RunningCall<'a>,
    /// None before the call waits.
    waker: Option<Waker>,
}

impl<'a> Turns<'a> {
    /// For so many calls in all.
    pub(super) fn of(calls: usize) -> Self {
        Self {
            calls: Vec::with_capacity(calls),
            running: 0,
            begun: 0,
            turn: VecDeque::new(),
            polled: false,
            queue: None,
        }
    }

    /// How many calls run.
    pub(super) fn running(&self) -> usize {
        self.running
    }

    /// How many were started.
    pub(super) fn started(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn start(&mut self, call: RunningCall<'a>) {
        self.calls.push(Some(Slot { call, waker: None }));
        self.running += 1;
    }

    /// The next call that ends; nothing if none runs. Between two times that it is pending each call has one turn at most.
    pub(super) fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<Option<Ran>> {
        if !self.polled
            && let Some(queue) = &self.queue
        {
            queue.take(&mut self.turn);
        }
        while let Some(place) = self.next() {
            self.polled = true;
            if let Some(ran) = self.turn(place) {
                return Poll::Ready(Some(ran));
            }
        }
        if self.running == 0 {
            return Poll::Ready(None);
        }
        self.polled = false;
        if let Some(queue) = &self.queue {
            queue.wait(task.waker());
        }
        Poll::Pending
    }

    fn next(&mut self) -> Option<usize> {
        self.turn.pop_front().or_else(|| {
            let place = self.begun;
            self.begun = self.calls.len().min(place + 1);
            (place < self.begun).then_some(place)
        })
    }

    /// What a call comes to, if it ends in this turn. By then nothing of it is left here.
    fn turn(&mut self, place: usize) -> Option<Ran> {
        let all = self.calls.capacity();
        let slot = self.calls.get_mut(place)?;
        let Slot { call, waker } = slot.as_mut()?;
        let ran = match waker {
            None => call.begin(),
            Some(_) => None,
        };
        let ran = match ran {
            Some(ran) => ran,
            None => {
                let waker = waker.get_or_insert_with(|| {
                    let queue = self.queue.get_or_insert_with(|| Queue::of(all));
                    let queue = Arc::clone(queue);
                    Waker::from(Arc::new(Wakes { queue, place }))
                });
                match call.poll(&mut TaskContext::from_waker(waker)) {
                    Poll::Ready(ran) => ran,
                    Poll::Pending => return None,
                }
            }
        };
        *slot = None;
        self.running -= 1;
        Some(ran)
    }

    /// The calls that run, from this place on, with their places.
    pub(super) fn from(
        &mut self,
        place: usize,
    ) -> impl Iterator<Item = (usize, &mut RunningCall<'a>)> {
        let calls = self.calls.iter_mut().enumerate().skip(place);
        calls.filter_map(|(place, slot)| Some((place, &mut slot.as_mut()?.call)))
    }

    /// Has the call at this place have a turn.
    pub(super) fn wake(&self, place: usize) {
        if let Some(queue) = &self.queue {
            queue.add(place);
        }
    }
}

/// Wakers that somebody kept lead nowhere.
impl Drop for Turns<'_> {
    fn drop(&mut self) {
        if let Some(queue) = &self.queue {
            let all = std::mem::take(&mut *queue.all());
            drop(all);
        }
    }
}

/// Which calls were woken since they had their last turn.
struct Queue(Mutex<Woken>);

#[derive(Default)]
struct Woken {
    /// In the order in which they were woken, each once.
    order: VecDeque<usize>,
    /// By place, whether it is among them.
    has: Vec<bool>,
    /// The batch's task, while it waits.
    task: Option<Waker>,
}

impl Queue {
    fn of(calls: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Woken {
            has: vec![false; calls],
            ..Woken::default()
        })))
    }

    /// Nothing is left half done under this lock: no code of others runs there.
    fn all(&self) -> MutexGuard<'_, Woken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, place: usize) {
        let mut all = self.all();
        let is_new = all
            .has
            .get_mut(place)
            .map(|has| !std::mem::replace(has, true));
        if is_new == Some(true) {
            all.order.push_back(place);
            let task = all.task.take();
            drop(all);
            if let Some(task) = task {
                task.wake();
            }
        }
    }

    /// Moves them to `turn`, which is empty.
    fn take(&self, turn: &mut VecDeque<usize>) {
        let all = &mut *self.all();
        std::mem::swap(&mut all.order, turn);
        for place in turn {
            if let Some(has) = all.has.get_mut(*place) {
                *has = false;
            }
        }
    }

    /// Has the task woken when a call is, or now if one was.
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
struct Wakes {
    queue: Arc<Queue>,
    place: usize,
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.queue.add(self.place);
    }
}
