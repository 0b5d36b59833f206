//! Pending calls that wait for a decision over HTTP.
//!
//! Each is stored with the context of its caller under a random id, and is taken out before it continues, so it runs
//! once.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolwright_runtime::executor::Pending;
use toolwright_runtime::tool::Context;

use crate::random;

/// Time for a decision.
const TIME_TO_LIVE: Duration = Duration::from_hours(1);

/// Limits on the stored calls and the bytes of their arguments. The oldest are evicted.
const MAX_CALLS: usize = 4096;
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Store of pending calls.
#[derive(Default)]
pub(super) struct PendingCalls(Mutex<PendingQueue>);

#[derive(Default)]
struct PendingQueue {
    /// Calls, oldest first.
    calls: VecDeque<PendingEntry>,
    bytes: usize,
}

struct PendingEntry {
    id: String,
    since: Instant,
    pending: Pending,
    cx: Context,
}

impl PendingCalls {
    /// Stores a call with the context of its caller. Returns its id.
    pub(super) fn insert(&self, pending: Pending, cx: Context) -> String {
        let id = random::id();
        let mut calls = self.lock();
        calls.make_room(pending.call.arguments.len());
        calls.bytes += pending.call.arguments.len();
        calls.calls.push_back(PendingEntry {
            id: id.clone(),
            since: Instant::now(),
            pending,
            cx,
        });
        id
    }

    /// Removes and returns the call with this id.
    pub(super) fn take(&self, id: &str) -> Option<(Pending, Context)> {
        let mut calls = self.lock();
        calls.evict_expired();
        let at = calls.calls.iter().position(|call| call.id == id)?;
        let PendingEntry { pending, cx, .. } = calls.calls.remove(at)?;
        calls.bytes -= pending.call.arguments.len();
        Some((pending, cx))
    }

    fn lock(&self) -> MutexGuard<'_, PendingQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingQueue {
    fn make_room(&mut self, bytes: usize) {
        self.evict_expired();
        while self.calls.len() >= MAX_CALLS || self.bytes.saturating_add(bytes) > MAX_BYTES {
            if !self.evict_oldest() {
                break;
            }
        }
    }

    fn evict_expired(&mut self) {
        while self
            .calls
            .front()
            .is_some_and(|call| call.since.elapsed() > TIME_TO_LIVE)
        {
            self.evict_oldest();
        }
    }

    fn evict_oldest(&mut self) -> bool {
        let oldest = self.calls.pop_front();
        let bytes = oldest
            .as_ref()
            .map(|call| call.pending.call.arguments.len());
        self.bytes -= bytes.unwrap_or_default();
        oldest.is_some()
    }
}
