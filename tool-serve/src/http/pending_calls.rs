//! Calls that wait for a decision or an answer over HTTP.
//!
//! Each is stored with the context of its caller under a random id, and is taken out before it continues, so it runs
//! once.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::{Decided, Pending};
use toolwright_runtime::tool::{Context, Decision};

use toolwright_http::random;

/// Time for a decision.
const TIME_TO_LIVE: Duration = Duration::from_hours(1);

/// Limits on the stored calls and the bytes of their arguments. The oldest are evicted.
const MAX_CALLS: usize = 4096;
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Store of pending calls.
#[derive(Default)]
pub(super) struct WaitingCalls(Mutex<PendingQueue>);

#[derive(Default)]
struct PendingQueue {
    /// Calls, oldest first.
    calls: VecDeque<PendingEntry>,
    bytes: usize,
}

struct PendingEntry {
    id: String,
    since: Instant,
    pending: WaitingCall,
}

/// What a call waits for, with the context of its caller.
pub(super) struct WaitingCall {
    pub(super) waits: WaitsFor,
    pub(super) cx: Context,
}

pub(super) enum WaitsFor {
    /// A decision.
    Decision(Pending),
    /// The answer to the question that the call has ended with. What is said to it cannot make the tool run again.
    Answer(ToolCall),
}

impl WaitsFor {
    pub(super) fn call(&self) -> &ToolCall {
        match self {
            Self::Decision(pending) => &pending.call,
            Self::Answer(call) => call,
        }
    }

    /// Attaches a decision, if it is one about this.
    fn decided(&self, decision: Decision) -> Result<Decided, NotTaken> {
        match (self, decision) {
            (Self::Decision(pending), decision) => Ok(pending.decided(decision)),
            (Self::Answer(_), Decision::Approve | Decision::Edit(_)) => Err(NotTaken::NeedsAnswer),
            (Self::Answer(call), decision) => Ok(Decided {
                call: call.clone(),
                place: 0,
                decision,
                attempt: 0,
            }),
        }
    }
}

/// Reason why no call is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotTaken {
    Unknown,
    NeedsAnswer,
}

impl WaitingCalls {
    /// Stores a call. Returns its id.
    pub(super) fn insert(&self, pending: WaitingCall) -> String {
        let id = random::id();
        let bytes = pending.waits.call().arguments.len();
        let mut calls = self.lock();
        calls.make_room(bytes);
        calls.bytes += bytes;
        calls.calls.push_back(PendingEntry {
            id: id.clone(),
            since: Instant::now(),
            pending,
        });
        id
    }

    /// Returns the call with this id that waits for a decision, with the context of its caller.
    pub(super) fn undecided(&self, id: &str) -> Option<(ToolCall, Context)> {
        let mut calls = self.lock();
        calls.evict_expired();
        let entry = calls.calls.iter().find(|entry| entry.id == id)?;
        match &entry.pending.waits {
            WaitsFor::Decision(pending) => Some((pending.call.clone(), entry.pending.cx.clone())),
            WaitsFor::Answer(_) => None,
        }
    }

    /// Removes the call with this id, if the decision is one about it. Returns it with the context of its caller.
    pub(super) fn take(
        &self,
        id: &str,
        decision: Decision,
    ) -> Result<(Decided, Context), NotTaken> {
        let mut calls = self.lock();
        calls.evict_expired();
        let at = calls.calls.iter().position(|entry| entry.id == id);
        let entry = at.and_then(|at| calls.calls.get(at));
        let decided = entry
            .ok_or(NotTaken::Unknown)?
            .pending
            .waits
            .decided(decision)?;
        let entry = at.and_then(|at| calls.calls.remove(at));
        let PendingEntry { pending, .. } = entry.ok_or(NotTaken::Unknown)?;
        calls.bytes -= pending.waits.call().arguments.len();
        Ok((decided, pending.cx))
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
            .map(|entry| entry.pending.waits.call().arguments.len());
        self.bytes -= bytes.unwrap_or_default();
        oldest.is_some()
    }
}
