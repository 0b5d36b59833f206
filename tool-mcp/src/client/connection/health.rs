//! Signs that a server is there, and that its output is not the protocol's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolwright_schema::text::Printable;

/// Characters of a skipped text that are kept.
const MOST: usize = 200;

#[derive(Default)]
pub(in crate::client) struct Health {
    /// True after a request that did not reach the server, or for which it opened no new session.
    is_away: AtomicBool,
    /// The last text that was not a message, and how many there were.
    skipped: Mutex<(u64, String)>,
}

impl Health {
    fn skipped(&self) -> MutexGuard<'_, (u64, String)> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the server answered when it was last asked.
    pub(in crate::client) fn is_reached(&self) -> bool {
        !self.is_away.load(Ordering::Relaxed)
    }

    #[cfg(feature = "client-http")]
    pub(in crate::client) fn set_reached(&self, is_reached: bool) {
        self.is_away.store(!is_reached, Ordering::Relaxed);
    }

    pub(super) fn skip(&self, text: &str) {
        let line = Printable::new(text).one_line().at_most(MOST).to_string();
        let mut skipped = self.skipped();
        *skipped = (skipped.0 + 1, line);
    }

    /// Returns the number of texts so far that were not messages.
    pub(in crate::client) fn skips(&self) -> u64 {
        self.skipped().0
    }

    /// Returns the last of them, escaped and in one line, if there was one after this number.
    pub(in crate::client) fn skipped_since(&self, number: u64) -> Option<String> {
        let skipped = self.skipped();
        (skipped.0 > number).then(|| skipped.1.clone())
    }
}
