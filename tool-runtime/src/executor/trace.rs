//! Store of recent events.

mod event;

use std::collections::VecDeque;
use std::fmt;
use std::ops::RangeBounds;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::event::Event;
use toolwright_schema::panics::reported;

pub use self::event::{TraceEvent, Traced, TracedCall};

/// Keeps the last events of executors and agents: calls, arguments, outcomes, model calls, usage and durations. Cheap to
/// clone; clones share their events.
///
/// As an [observer](Self::observer) of an executor it stores the events of calls. As a listener of
/// an agent (`Agent::listener`) it stores those, and the agent's own: runs, model calls and hand-overs. A store that is
/// both has the events of calls twice.
///
/// Arguments are stored without secrets ([`Tool::redacted`](crate::tool::Tool::redacted)), results and errors as they are.
///
/// ```
/// use toolwright::{Context, Executor, ToolCall, Toolset, executor::{TraceStore, Traced}};
///
/// let trace = TraceStore::new(1000);
/// let executor = Executor::serial(&Toolset::default()).on_event(trace.observer());
/// executor.run_blocking(&[ToolCall::new("c1", "nope", "{}")], &Context::new());
/// let calls = trace.matching(|event| matches!(event.what, Traced::Finished { .. }));
/// assert_eq!(
///     calls[0].to_string(),
///     r#"call c1: nope("[2 bytes]") failed: unknown_tool: unknown tool `nope` (0ns)"#
/// );
/// ```
#[derive(Clone)]
pub struct TraceStore {
    log: Arc<TraceLog>,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    on_store: Option<Arc<OnStore>>,
}

type OnStore = dyn Fn(&TraceEvent) + Send + Sync;

struct TraceLog {
    most: usize,
    is_enabled: AtomicBool,
    events: Mutex<VecDeque<Arc<TraceEvent>>>,
}

impl TraceStore {
    /// Makes a store of the last `most` events.
    pub fn new(most: usize) -> Self {
        Self {
            log: Arc::new(TraceLog {
                most,
                is_enabled: AtomicBool::new(true),
                events: Mutex::default(),
            }),
            clock: Arc::new(SystemTime::now),
            on_store: None,
        }
    }

    /// Sets the clock. Default: [`SystemTime::now`].
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets a function that gets each event after it is stored. A panic in it changes nothing.
    pub fn on_store(mut self, then: impl Fn(&TraceEvent) + Send + Sync + 'static) -> Self {
        self.on_store = Some(Arc::new(then));
        self
    }

    /// Turns storing on or off. Stored events stay.
    pub fn enable(&self, on: bool) {
        self.log.is_enabled.store(on, Ordering::Relaxed);
    }

    /// Returns true if events are stored.
    pub fn is_enabled(&self) -> bool {
        self.log.is_enabled.load(Ordering::Relaxed)
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn stored(&self) -> MutexGuard<'_, VecDeque<Arc<TraceEvent>>> {
        let events = &self.log.events;
        events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all events, oldest first.
    pub fn events(&self) -> Vec<Arc<TraceEvent>> {
        self.stored().iter().cloned().collect()
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.stored().len()
    }

    /// Returns true if there are no events.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the last `count` events, oldest first.
    pub fn last(&self, count: usize) -> Vec<Arc<TraceEvent>> {
        let stored = self.stored();
        let skip = stored.len().saturating_sub(count);
        stored.iter().skip(skip).cloned().collect()
    }

    /// Returns the events that `wanted` accepts, oldest first: of one kind by `matches!` on [`what`](TraceEvent::what).
    pub fn matching(&self, wanted: impl Fn(&TraceEvent) -> bool) -> Vec<Arc<TraceEvent>> {
        let mut events = self.events();
        events.retain(|event| wanted(event));
        events
    }

    /// Returns the events of one conversation: of all runs of its session.
    pub fn of_session(&self, session: &str) -> Vec<Arc<TraceEvent>> {
        self.matching(|event| event.session.as_deref() == Some(session))
    }

    /// Returns the events of one run.
    pub fn of_run(&self, run: &str) -> Vec<Arc<TraceEvent>> {
        self.matching(|event| event.run.as_deref() == Some(run))
    }

    /// Returns the events of a time range.
    pub fn between(&self, times: impl RangeBounds<SystemTime>) -> Vec<Arc<TraceEvent>> {
        self.matching(|event| times.contains(&event.at))
    }

    /// Removes all events.
    pub fn clear(&self) {
        let forgotten = std::mem::take(&mut *self.stored());
        // Values of tools are dropped outside of the lock.
        drop(forgotten);
    }
}

impl TraceStore {
    /// Returns a closure for [`Executor::on_event`](crate::executor::Executor::on_event), which stores the events.
    pub fn observer(&self) -> impl Fn(&Event<'_>) + Send + Sync + 'static {
        let store = self.clone();
        move |event| store.store_call(event)
    }

    /// Stores an event of an executor.
    #[doc(hidden)]
    pub fn store_call(&self, event: &Event<'_>) {
        self.store(|at| TraceEvent::of(event, at));
    }

    /// Stores the event that `make` makes with the current time, if the store is on.
    #[doc(hidden)]
    pub fn store(&self, make: impl FnOnce(SystemTime) -> Option<TraceEvent>) {
        if !self.is_enabled() || self.log.most == 0 {
            return;
        }
        let Some(traced) = make((self.clock)()) else {
            return;
        };
        let traced = Arc::new(traced);
        let mut stored = self.stored();
        let oldest = (stored.len() == self.log.most).then(|| stored.pop_front());
        stored.push_back(Arc::clone(&traced));
        drop(stored);
        drop(oldest);
        if let Some(then) = &self.on_store {
            reported("`on_store`", || then(&traced));
        }
    }
}

impl fmt::Debug for TraceStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceStore")
            .field("events", &self.len())
            .field("is_enabled", &self.is_enabled())
            .finish_non_exhaustive()
    }
}
