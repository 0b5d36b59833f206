//! The state of one open call, which copies of a list share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

use super::call::now_ms;
use super::{OpenCall, OpenCallError, OpenCallState};
use crate::tool::Cancel;
use toolwright_provider::call::StoredOutcome;

/// A call. Copies of a list share it, so that each of them gets the result.
pub(super) struct OpenCallEntry {
    pub(super) key: String,
    inner: Mutex<EntryState>,
}

pub(super) struct EntryState {
    pub(super) call: OpenCall,
    /// Token of the code that runs in this process.
    pub(super) live: Option<Cancel>,
    /// The call was answered otherwise, and cannot be ended any more.
    pub(super) is_withdrawn: bool,
    /// The lists that hold the call.
    watchers: Vec<Weak<Notify>>,
}

impl EntryState {
    /// Notifies one more list when the call ends.
    pub(super) fn watch(&mut self, list: &Arc<Notify>) {
        self.watchers.retain(|watcher| watcher.strong_count() > 0);
        self.watchers.push(Arc::downgrade(list));
    }

    /// Removes a list that gave the call up. Returns true if another list holds the call.
    pub(super) fn unwatch(&mut self, list: &Arc<Notify>) -> bool {
        let own = Arc::downgrade(list);
        let is_other = |watcher: &Weak<Notify>| watcher.strong_count() > 0 && !watcher.ptr_eq(&own);
        self.watchers.retain(is_other);
        !self.watchers.is_empty()
    }

    fn end(&mut self, outcome: StoredOutcome) {
        self.call.state = OpenCallState::Ended(Box::new(outcome));
        self.call.ended_ms = Some(now_ms());
    }

    fn check(&self, key: &str) -> Result<(), OpenCallError> {
        let key = key.to_owned();
        match self.call.state {
            _ if self.is_withdrawn => Err(OpenCallError::NotOpen { key }),
            OpenCallState::Ended(_) => Err(OpenCallError::Ended { key }),
            _ => Ok(()),
        }
    }
}

impl OpenCallEntry {
    /// `list` is notified when the call ends.
    pub(super) fn new(call: OpenCall, live: Option<Cancel>, list: &Arc<Notify>) -> Arc<Self> {
        Arc::new(Self {
            key: call.key.clone(),
            inner: Mutex::new(EntryState {
                call,
                live,
                is_withdrawn: false,
                watchers: vec![Arc::downgrade(list)],
            }),
        })
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    pub(super) fn inner(&self) -> MutexGuard<'_, EntryState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn call(&self) -> OpenCall {
        self.inner().call.clone()
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.inner().call.state, OpenCallState::Ended(_))
    }

    pub(super) fn is_lost(&self) -> bool {
        let inner = self.inner();
        inner.live.is_none() && matches!(inner.call.state, OpenCallState::Running)
    }

    /// Fails if the call is not open.
    pub(super) fn check(&self) -> Result<(), OpenCallError> {
        self.inner().check(&self.key)
    }

    /// Ends the call in memory. Returns the token of code that runs for it.
    pub(super) fn settle(&self, outcome: StoredOutcome) -> Result<Option<Cancel>, OpenCallError> {
        let mut inner = self.inner();
        inner.check(&self.key)?;
        inner.end(outcome);
        let live = inner.live.take();
        let watchers = inner.watchers.clone();
        drop(inner);
        notify(&watchers);
        Ok(live)
    }

    /// Ends different calls in memory: all of them, or none on an error. Code that runs for them goes on.
    pub(super) fn settle_all(ends: &[(Arc<Self>, StoredOutcome)]) -> Result<(), OpenCallError> {
        let mut watchers = Vec::new();
        let mut locked: Vec<_> = ends.iter().map(|(entry, _)| entry.inner()).collect();
        for ((entry, _), inner) in ends.iter().zip(&locked) {
            inner.check(&entry.key)?;
        }
        for ((_, outcome), inner) in ends.iter().zip(&mut locked) {
            inner.end(outcome.clone());
            inner.live = None;
            watchers.extend(inner.watchers.iter().cloned());
        }
        drop(locked);
        notify(&watchers);
        Ok(())
    }

    /// Marks a call that no longer runs as one of unknown outcome.
    pub(super) fn mark_unknown(&self, error: String) {
        let mut inner = self.inner();
        if let OpenCallState::Running = inner.call.state {
            inner.live = None;
            inner.call.state = OpenCallState::Unknown(error);
            inner.call.ended_ms = Some(now_ms());
            let watchers = inner.watchers.clone();
            drop(inner);
            notify(&watchers);
        }
    }
}

/// Wakes the waiters of these lists.
fn notify(lists: &[Weak<Notify>]) {
    for list in lists.iter().filter_map(Weak::upgrade) {
        list.notify_waiters();
    }
}

/// Calls for which code runs in this process, by the name of their list and their key.
pub(super) fn published() -> MutexGuard<'static, BTreeMap<(String, String), Weak<OpenCallEntry>>> {
    static CALLS: Mutex<BTreeMap<(String, String), Weak<OpenCallEntry>>> =
        Mutex::new(BTreeMap::new());
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}
