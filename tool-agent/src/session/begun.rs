//! Calls that a run without a checkpointer has begun.
//!
//! A run that is dropped in the midst of its calls leaves them here. Without these marks, the next run would make a call again that
//! may have taken effect.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolwright_provider::call::StoredOutcome;

/// Outcomes of begun calls by idempotency key; `None` for a call that has not ended.
pub(crate) type BegunCalls = BTreeMap<String, Option<StoredOutcome>>;

/// Begun calls of the last turn whose answers are not in the thread. Handles share them.
#[derive(Debug, Default)]
pub(crate) struct Begun(Arc<Mutex<BegunCalls>>);

impl Begun {
    /// Returns a handle for the layer that writes the calls.
    pub(crate) fn handle(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Returns the calls as they are now.
    pub(crate) fn calls(&self) -> BegunCalls {
        self.lock().clone()
    }

    pub(crate) fn begin(&self, key: &str) {
        self.lock().insert(key.to_owned(), None);
    }

    pub(crate) fn end(&self, key: &str, outcome: StoredOutcome) {
        self.lock().insert(key.to_owned(), Some(outcome));
    }

    /// Removes a call that did not run, or that others own from now on.
    pub(crate) fn remove(&self, key: &str) {
        self.lock().remove(key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Removes the calls whose keys begin with one of these. Other copies of the session keep them.
    pub(super) fn forget(&mut self, keys: &[String]) {
        if self.is_empty() {
            return;
        }
        let mut rest = self.calls();
        rest.retain(|key, _| !keys.iter().any(|start| key.starts_with(start)));
        *self = Self(Arc::new(Mutex::new(rest)));
    }

    /// Locks the calls. A poisoned lock is usable: no update is left half done under it.
    fn lock(&self) -> MutexGuard<'_, BegunCalls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A clone of a session is another conversation.
impl Clone for Begun {
    fn clone(&self) -> Self {
        Self(Arc::new(Mutex::new(self.calls())))
    }
}

impl Serialize for Begun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.lock().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Begun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BegunCalls::deserialize(deserializer).map(|calls| Self(Arc::new(Mutex::new(calls))))
    }
}
