//! Calls that wait for a decision or an answer over HTTP.
//!
//! Each is stored with the context of its caller under a random id, and is taken out before it continues, so it runs
//! once.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolwright_provider::call::ToolCall;
use toolwright_runtime::tool::{Context, Decision};

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
    waits: PendingCall,
}

/// A call, with the context of its caller.
pub(super) struct PendingCall {
    pub(super) call: ToolCall,
    pub(super) cx: Context,
    pub(super) needs: Needs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Decision,
    /// The tool ran and asked a question. What is said to it cannot make the tool run again.
    Answer,
}

/// Reason why no call is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotTaken {
    Unknown,
    NeedsAnswer,
}

impl PendingCalls {
    /// Stores a call. Returns its id.
    pub(super) fn insert(&self, waits: PendingCall) -> String {
        let id = random::id();
        let mut calls = self.lock();
        calls.make_room(waits.call.arguments.len());
        calls.bytes += waits.call.arguments.len();
        calls.calls.push_back(PendingEntry {
            id: id.clone(),
            since: Instant::now(),
            waits,
        });
        id
    }

    /// Removes and returns the call with this id, if the decision is one about it.
    pub(super) fn take(&self, id: &str, decision: &Decision) -> Result<PendingCall, NotTaken> {
        let mut calls = self.lock();
        calls.evict_expired();
        let mut entries = calls.calls.iter();
        let at = entries.position(|entry| entry.id == id);
        let at = at.ok_or(NotTaken::Unknown)?;
        let answers = matches!(decision, Decision::Answer(_) | Decision::Reject(_));
        let needs = calls.calls.get(at).map(|entry| entry.waits.needs);
        if needs == Some(Needs::Answer) && !answers {
            return Err(NotTaken::NeedsAnswer);
        }
        let PendingEntry { waits, .. } = calls.calls.remove(at).ok_or(NotTaken::Unknown)?;
        calls.bytes -= waits.call.arguments.len();
        Ok(waits)
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
            .map(|entry| entry.waits.call.arguments.len());
        self.bytes -= bytes.unwrap_or_default();
        oldest.is_some()
    }
}
