//! What the calls of a batch share while it runs: how each is told to stop, what they say on their
//! way, and what they change.

use std::sync::{Arc, OnceLock, PoisonError};

use serde_json::Value;

use super::event::{BatchId, Event, Observers};
use crate::sync::{Mutex, MutexGuard};
use crate::tool::{Caller, Cancel, Context, Progress, RunningBatch};

/// What the contexts of a batch's calls lead to.
pub(crate) struct Live {
    id: BatchId,
    /// The host's, if it gave one; else made when a call first asks.
    stop: OnceLock<Cancel>,
    calls: Mutex<Vec<OneCall>>,
    /// Each call's place in its turn, where it is not that in the batch: where a person decided about some calls, others
    /// may have stood before.
    places: Option<Vec<usize>>,
    /// The run that the calls are of.
    run: Option<Arc<str>>,
    /// The call that runs the batch, if one does.
    caller: Option<Caller>,
    observers: Observers,
}

/// What is known of one call while it runs.
#[derive(Default)]
struct OneCall {
    /// Made when the call asks for something.
    asked: Option<Box<Asked>>,
    /// The call is answered: whatever of it still runs is no longer heard.
    closed: bool,
    /// The call was answered before it ended by itself.
    stopped: bool,
    /// An attempt of it took longer than it may, and may still run.
    late: bool,
}

/// What few calls have.
#[derive(Default)]
struct Asked {
    stop: Option<Cancel>,
    /// In the order in which they were made.
    updates: Vec<(String, Value)>,
    /// How often code of it runs away from the task of the batch. What could not be stopped stays counted.
    elsewhere: u32,
}

impl OneCall {
    fn asked(&mut self) -> &mut Asked {
        self.asked.get_or_insert_default()
    }

    fn updates(&self) -> &[(String, Value)] {
        self.asked.as_ref().map_or(&[], |asked| &asked.updates)
    }
}

impl Live {
    /// Of so many calls.
    pub(super) fn new(
        id: BatchId,
        calls: usize,
        places: Option<Vec<usize>>,
        cx: &Context,
        observers: Observers,
    ) -> Self {
        let stop = cx.host_cancel();
        Self {
            id,
            stop: stop.map_or_else(OnceLock::new, |stop| OnceLock::from(stop.child())),
            calls: Mutex::new((0..calls).map(|_| OneCall::default()).collect()),
            places,
            run: cx.run().cloned(),
            caller: cx.caller(),
            observers,
        }
    }

    /// Nothing is left half done under this lock: no code of others runs there.
    fn calls(&self) -> MutexGuard<'_, Vec<OneCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, index: usize, change: impl FnOnce(&mut OneCall) -> T) -> Option<T> {
        self.calls().get_mut(index).map(change)
    }

    /// Whether the call is one of the batch's that is not answered yet.
    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.with(index, |call| !call.closed).unwrap_or(false)
    }

    /// The call is answered. Returns what it changed.
    pub(super) fn close(&self, index: usize) -> Vec<(String, Value)> {
        let closed = self.with(index, |call| {
            call.closed = true;
            call.stopped |= call.late;
            let asked = call.asked.as_mut()?;
            let stop = if call.late { asked.stop.clone() } else { None };
            Some((std::mem::take(&mut asked.updates), stop))
        });
        let (updates, stop) = closed.flatten().unwrap_or_default();
        if let Some(stop) = stop {
            stop.cancel();
        }
        updates
    }

    /// Tells the call to stop, if something of it still runs.
    pub(super) fn stop(&self, index: usize) {
        let stop = self.with(index, |call| {
            call.stopped = true;
            call.asked.as_ref()?.stop.clone()
        });
        if let Some(stop) = stop.flatten() {
            stop.cancel();
        }
    }
}

impl RunningBatch for Live {
    fn runs_elsewhere(&self, index: usize, runs: bool) {
        self.with(index, |call| {
            let elsewhere = &mut call.asked().elsewhere;
            *elsewhere = if runs {
                elsewhere.saturating_add(1)
            } else {
                elsewhere.saturating_sub(1)
            };
        });
        if let Some(Caller { batch, index }) = &self.caller {
            batch.runs_elsewhere(*index, runs);
        }
    }

    fn is_elsewhere(&self, index: usize) -> bool {
        let is = |call: &mut OneCall| call.asked.as_ref().is_some_and(|asked| asked.elsewhere > 0);
        self.with(index, is).unwrap_or(false)
    }

    fn cancel(&self, index: usize) -> Cancel {
        let stop = self.with(index, |call| {
            let all = self.stop.get_or_init(Cancel::new);
            let stop = call.asked().stop.get_or_insert_with(|| all.child()).clone();
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
        place.copied().unwrap_or(index)
    }

    fn update_count(&self, index: usize) -> usize {
        self.with(index, |call| call.updates().len())
            .unwrap_or_default()
    }

    fn updates(&self, index: usize) -> Vec<(String, Value)> {
        self.with(index, |call| call.updates().to_vec())
            .unwrap_or_default()
    }

    fn keep_updates(&self, index: usize, first: usize) {
        self.with(index, |call| {
            if let Some(asked) = &mut call.asked {
                asked.updates.truncate(first);
            }
        });
    }

    fn update(&self, index: usize, name: String, value: Value) -> bool {
        let noted = self.with(index, |call| {
            if !call.closed {
                call.asked().updates.push((name, value));
            }
            !call.closed
        });
        noted.unwrap_or(false)
    }

    fn progress(&self, cx: &Context, index: usize, id: &str, name: &str, progress: &Progress) {
        if !self.observers.is_empty() && self.is_open(index) {
            self.observers.tell(&Event::Progress {
                batch_id: self.id,
                cx,
                index,
                id,
                name,
                progress,
            });
        }
    }

    fn is_late(&self, index: usize) {
        self.with(index, |call| call.late = true);
    }
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}
