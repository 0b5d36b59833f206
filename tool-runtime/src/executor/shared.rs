//! State that a batch shares with the contexts of its calls: cancellation, progress and state updates.

use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::event::{BatchId, Event, Observers};
use super::{Executor, Turn};
use crate::sync::{Mutex, MutexGuard};
use crate::tool::{Caller, Cancel, Context, OpenCalls, Progress, RunningBatch};
use toolwright_provider::call::ToolCall;

/// Shared state of a batch.
pub(crate) struct BatchShared {
    id: BatchId,
    /// Token of the host, or one that is made when a call first asks.
    stop: OnceLock<Cancel>,
    calls: Mutex<Vec<CallStatus>>,
    /// Each call's place in the model's turn, and its attempt, if the place may differ from the index.
    places: Option<Vec<(usize, u32)>>,
    /// Run of the calls.
    run: Option<Arc<str>>,
    /// Call that runs the batch, if one does.
    caller: Option<Caller>,
    /// Owner of calls that stay open, and the calls of the batch.
    open: Option<(OpenCalls, Vec<ToolCall>)>,
    observers: Observers,
}

/// Status of one call in flight.
#[derive(Default)]
struct CallStatus {
    /// Made when the call needs it.
    extras: Option<Box<CallExtras>>,
    /// The call is answered; updates and progress are ignored from now on.
    closed: bool,
    /// The call was answered before it ended.
    stopped: bool,
    /// An attempt exceeded its time limit and may still run.
    late: bool,
}

/// State that few calls need.
#[derive(Default)]
struct CallExtras {
    stop: Option<Cancel>,
    /// In the order in which they were made.
    updates: Vec<(String, Value)>,
    /// Number of its bodies on other tasks or threads. Bodies that could not be stopped stay counted.
    offloaded: u32,
    /// Key under which the call stays open.
    open: Option<String>,
    /// Number of people who are being asked, and since when.
    asked: u32,
    asked_since: Option<Instant>,
    /// Time in which people were asked before.
    held: Duration,
}

impl CallStatus {
    fn extras(&mut self) -> &mut CallExtras {
        self.extras.get_or_insert_default()
    }

    fn updates(&self) -> &[(String, Value)] {
        self.extras.as_ref().map_or(&[], |extras| &extras.updates)
    }
}

impl BatchShared {
    /// Makes the shared state for the calls of a batch.
    pub(super) fn new(id: BatchId, turn: &Turn<'_>, cx: &Context, executor: &Executor) -> Self {
        let (calls, places) = (turn.calls.len(), turn.places());
        let observers = executor.observers.clone();
        let open = executor.open_calls.clone();
        let stop = cx.host_cancel();
        Self {
            id,
            stop: stop.map_or_else(OnceLock::new, |stop| OnceLock::from(stop.child())),
            calls: Mutex::new((0..calls).map(|_| CallStatus::default()).collect()),
            places,
            run: cx.run().cloned(),
            caller: cx.caller(),
            open: open.map(|open| (open, turn.calls.to_vec())),
            observers,
        }
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn calls(&self) -> MutexGuard<'_, Vec<CallStatus>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, index: usize, change: impl FnOnce(&mut CallStatus) -> T) -> Option<T> {
        self.calls().get_mut(index).map(change)
    }

    /// Returns true if the call is not answered yet.
    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.with(index, |call| !call.closed).unwrap_or(false)
    }

    /// Closes an answered call. Returns its state updates.
    pub(super) fn close(&self, index: usize) -> Vec<(String, Value)> {
        let closed = self.with(index, |call| {
            call.closed = true;
            call.stopped |= call.late;
            let extras = call.extras.as_mut()?;
            let stop = if call.late { extras.stop.clone() } else { None };
            Some((std::mem::take(&mut extras.updates), stop))
        });
        let (updates, stop) = closed.flatten().unwrap_or_default();
        if let Some(stop) = stop {
            stop.cancel();
        }
        updates
    }

    /// Cancels the call, if something of it still runs.
    pub(super) fn stop(&self, index: usize) {
        let stop = self.with(index, |call| {
            call.stopped = true;
            call.extras.as_ref()?.stop.clone()
        });
        if let Some(stop) = stop.flatten() {
            stop.cancel();
        }
    }
}

impl BatchShared {
    /// Returns true if the call stays open under this key.
    pub(super) fn stays_open(&self, index: usize, key: &str) -> bool {
        let is = |call: &mut CallStatus| {
            let open = call.extras.as_ref().and_then(|extras| extras.open.as_ref());
            open.is_some_and(|open| open == key)
        };
        self.with(index, is).unwrap_or(false)
    }
}

impl BatchShared {
    /// Returns the time for which the call has waited for people, or `None` if it waits for one now.
    pub(super) fn held_time(&self, index: usize) -> Option<Duration> {
        let held = |call: &mut CallStatus| match &call.extras {
            Some(extras) if extras.asked > 0 => None,
            Some(extras) => Some(extras.held),
            None => Some(Duration::ZERO),
        };
        self.with(index, held).unwrap_or_default()
    }
}

impl RunningBatch for BatchShared {
    fn hold_time(&self, index: usize, holds: bool) {
        self.with(index, |call| {
            let extras = call.extras();
            if holds {
                extras.asked = extras.asked.saturating_add(1);
                extras.asked_since.get_or_insert_with(Instant::now);
            } else {
                extras.asked = extras.asked.saturating_sub(1);
                if extras.asked == 0
                    && let Some(since) = extras.asked_since.take()
                {
                    extras.held += since.elapsed();
                }
            }
        });
        if let Some(Caller { batch, index }) = &self.caller {
            batch.hold_time(*index, holds);
        }
    }

    fn open_calls(&self, index: usize) -> Option<(OpenCalls, ToolCall)> {
        let (open, calls) = self.open.as_ref()?;
        Some((open.clone(), calls.get(index)?.clone()))
    }

    fn note_open(&self, index: usize, key: &str) {
        let before = self.with(index, |call| call.extras().open.replace(key.to_owned()));
        // Only one of several attempts is the call's.
        if let (Some(before), Some((open, _))) = (before.flatten(), &self.open)
            && before != key
        {
            open.withdraw(&before);
        }
    }

    fn withdraw_open(&self, index: usize) {
        let Some((open, _)) = &self.open else {
            return;
        };
        let key = self.with(index, |call| call.extras.as_mut()?.open.take());
        if let Some(key) = key.flatten() {
            open.withdraw(&key);
        }
    }

    fn set_offloaded(&self, index: usize, runs: bool) {
        self.with(index, |call| {
            let offloaded = &mut call.extras().offloaded;
            *offloaded = if runs {
                offloaded.saturating_add(1)
            } else {
                offloaded.saturating_sub(1)
            };
        });
        if let Some(Caller { batch, index }) = &self.caller {
            batch.set_offloaded(*index, runs);
        }
    }

    fn is_offloaded(&self, index: usize) -> bool {
        let is = |call: &mut CallStatus| {
            call.extras
                .as_ref()
                .is_some_and(|extras| extras.offloaded > 0)
        };
        self.with(index, is).unwrap_or(false)
    }

    fn cancel(&self, index: usize) -> Cancel {
        let stop = self.with(index, |call| {
            let all = self.stop.get_or_init(Cancel::new);
            let stop = call
                .extras()
                .stop
                .get_or_insert_with(|| all.child())
                .clone();
            (stop, call.stopped)
        });
        let (stop, stopped) = stop.unwrap_or_default();
        if stopped {
            stop.cancel();
        }
        stop
    }

    fn is_of(&self, run: Option<&Arc<str>>) -> bool {
        self.run.as_ref() == run
    }

    fn place(&self, index: usize) -> usize {
        let place = self.places.as_ref().and_then(|places| places.get(index));
        place.map_or(index, |(place, _)| *place)
    }

    fn attempt(&self, index: usize) -> u32 {
        let place = self.places.as_ref().and_then(|places| places.get(index));
        place.map_or(0, |(_, attempt)| *attempt)
    }

    fn update_count(&self, index: usize) -> usize {
        self.with(index, |call| call.updates().len())
            .unwrap_or_default()
    }

    fn updates(&self, index: usize) -> Vec<(String, Value)> {
        self.with(index, |call| call.updates().to_vec())
            .unwrap_or_default()
    }

    fn truncate_updates(&self, index: usize, first: usize) {
        self.with(index, |call| {
            if let Some(extras) = &mut call.extras {
                extras.updates.truncate(first);
            }
        });
    }

    fn update(&self, index: usize, name: String, value: Value) -> bool {
        let noted = self.with(index, |call| {
            if !call.closed {
                call.extras().updates.push((name, value));
            }
            !call.closed
        });
        noted.unwrap_or(false)
    }

    fn progress(&self, cx: &Context, index: usize, id: &str, name: &str, progress: &Progress) {
        if !self.observers.is_empty() && self.is_open(index) {
            self.observers.notify(&Event::Progress {
                batch_id: self.id,
                cx,
                index,
                id,
                name,
                progress,
            });
        }
    }

    fn mark_late(&self, index: usize) {
        self.with(index, |call| call.late = true);
    }
}

impl std::fmt::Debug for BatchShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchShared").finish_non_exhaustive()
    }
}
