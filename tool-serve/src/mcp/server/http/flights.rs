//! Which calls of sessions are not answered yet.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// `rmcp` sends an answer to the last request of its id, and one before of the same id would wait for
/// ever: so there is none.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashSet<Key>>);

/// The session, as its header says it, and the call's id.
type Key = (Box<[u8]>, RequestId);

/// A call that is not answered yet, until this is dropped.
pub(in crate::mcp::server) struct Flight {
    flights: Arc<Flights>,
    key: Key,
}

impl Flights {
    /// `None` where another call of this id is not answered yet.
    pub(super) fn start(self: &Arc<Self>, session: &[u8], id: &RequestId) -> Option<Flight> {
        let key = (session.into(), id.clone());
        self.known().insert(key.clone()).then(|| Flight {
            flights: Arc::clone(self),
            key,
        })
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Key>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.flights.known().remove(&self.key);
    }
}
