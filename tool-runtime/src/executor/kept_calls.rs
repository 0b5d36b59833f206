use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{KeptState, PausedCalls, Pending, Waiting};
use crate::tool::{Context, Grant};
use crate::toolset::Toolset;

/// Time for a decision.
const TIME_TO_LIVE: Duration = Duration::from_hours(1);

/// Limits on the stored calls, and the bytes of their arguments and states.
const MAX_CALLS: usize = 4096;
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Calls of a server that wait for a decision or an answer, each with the context of its caller. A call is taken out before it
/// continues, so it runs once. It is dropped after an hour. If there are too many, the oldest calls of the caller that takes most are
/// evicted, so that no caller pushes out the calls of others.
#[doc(hidden)]
#[derive(Default)]
pub struct KeptCalls(Mutex<KeptQueue>);

#[derive(Default)]
struct KeptQueue {
    /// Calls, oldest first.
    calls: VecDeque<KeptCall>,
    bytes: usize,
}

/// A call that waits, with the context of its caller.
#[doc(hidden)]
#[derive(Clone)]
pub struct KeptCall {
    id: String,
    since: Instant,
    /// The call.
    pub pending: Pending,
    /// Context of the caller.
    pub cx: Context,
    /// State of a tool that paused, such as the conversation of an agent.
    pub state: Option<KeptState>,
    /// True if the current state was not shown to a person: a decision is not for it.
    pub is_unseen: bool,
}

impl KeptCalls {
    /// Stores a call under this id.
    pub fn insert(&self, id: String, pending: Pending, cx: Context, state: Option<KeptState>) {
        let entry = KeptCall {
            id,
            since: Instant::now(),
            pending,
            cx,
            state,
            is_unseen: false,
        };
        let mut calls = self.lock();
        calls.evict_expired();
        calls.bytes += entry.bytes();
        calls.calls.push_back(entry);
        calls.make_room();
    }

    /// Marks the call with this id as not shown.
    fn mark_unseen(&self, id: &str) {
        let mut calls = self.lock();
        if let Some(entry) = calls.calls.iter_mut().find(|entry| entry.id == id) {
            entry.is_unseen = true;
        }
    }

    /// Returns the call with this id.
    pub fn get(&self, id: &str) -> Option<KeptCall> {
        let mut calls = self.lock();
        calls.evict_expired();
        calls.calls.iter().find(|entry| entry.id == id).cloned()
    }

    /// Returns the calls of the caller of this context, oldest first. None for a caller without a subject or client: anyone
    /// with the id of a call can decide it.
    pub fn of_caller(&self, cx: &Context) -> Vec<KeptCall> {
        let caller = caller(cx);
        let is_named = |(_, subject, client): Caller<'_>| subject.or(client).is_some();
        if !caller.is_some_and(is_named) {
            return Vec::new();
        }
        let mut calls = self.lock();
        calls.evict_expired();
        let own = calls.calls.iter().filter(|entry| entry.caller() == caller);
        own.cloned().collect()
    }

    /// Removes the call with this id.
    pub fn take(&self, id: &str) -> Option<KeptCall> {
        let mut calls = self.lock();
        calls.evict_expired();
        let at = calls.calls.iter().position(|entry| entry.id == id)?;
        calls.remove(at)
    }

    fn lock(&self) -> MutexGuard<'_, KeptQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptCall {
    fn bytes(&self) -> usize {
        let state = self.state.as_ref().map_or(0, KeptState::bytes);
        self.pending.call.arguments.len() + state
    }

    fn caller(&self) -> Option<Caller<'_>> {
        caller(&self.cx)
    }

    /// Shows the call to people. Its id is the one that takes a decision.
    pub fn waiting(&self, tools: &Toolset) -> Waiting {
        let mut waiting = self.pending.shown(tools);
        waiting.id.clone_from(&self.id);
        waiting
    }
}

/// A call that goes on by a decision. If it is dropped before its reply, its tool's stored state waits again under its id.
#[doc(hidden)]
pub struct ResumedCall {
    calls: Arc<KeptCalls>,
    id: String,
    cx: Context,
    call: PausedCalls,
}

impl ResumedCall {
    /// Creates the guard, to be dropped after the call.
    pub fn new(calls: &Arc<KeptCalls>, id: String, cx: Context, call: PausedCalls) -> Self {
        let calls = Arc::clone(calls);
        Self {
            calls,
            id,
            cx,
            call,
        }
    }
}

impl Drop for ResumedCall {
    fn drop(&mut self) {
        if let Some((pending, state, is_unseen)) = self.call.left() {
            let (id, cx) = (self.id.clone(), self.cx.clone());
            self.calls.insert(id, pending, cx, Some(state));
            if is_unseen {
                self.calls.mark_unseen(&self.id);
            }
        }
    }
}

/// Issuer, subject and client.
type Caller<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a str>);

/// Returns the caller of a context. All callers without a grant are one.
fn caller(cx: &Context) -> Option<Caller<'_>> {
    let grant = cx.get::<Grant>()?;
    Some((grant.issuer(), grant.subject(), grant.client_id()))
}

impl KeptQueue {
    /// Evicts calls until the rest has room: the oldest of the caller that takes most. One call alone stays.
    fn make_room(&mut self) {
        while (self.calls.len() > MAX_CALLS || self.bytes > MAX_BYTES) && self.calls.len() > 1 {
            let mut room = HashMap::<_, usize>::new();
            for entry in &self.calls {
                *room.entry(entry.caller()).or_default() += entry.bytes() + MAX_BYTES / MAX_CALLS;
            }
            let most = room.into_iter().max_by_key(|(_, room)| *room);
            let oldest = self
                .calls
                .iter()
                .position(|entry| most.is_some_and(|(caller, _)| caller == entry.caller()));
            self.remove(oldest.unwrap_or_default());
        }
    }

    fn evict_expired(&mut self) {
        let is_expired = |entry: &KeptCall| entry.since.elapsed() > TIME_TO_LIVE;
        while self.calls.front().is_some_and(is_expired) {
            self.remove(0);
        }
    }

    fn remove(&mut self, at: usize) -> Option<KeptCall> {
        let entry = self.calls.remove(at)?;
        self.bytes -= entry.bytes();
        Some(entry)
    }
}
