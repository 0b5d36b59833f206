//! Calls that wait until somebody decides about them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolwright_runtime::{Context, Pending};

use crate::random;

/// How long a person may take.
const KEPT: Duration = Duration::from_hours(1);

/// How many calls wait, and how many bytes their arguments have together. The oldest make room.
const CALLS: usize = 4096;
const BYTES: usize = 64 * 1024 * 1024;

/// The calls that were answered as pending, each under an id that nobody guesses.
#[derive(Default)]
pub(super) struct Waiting(Mutex<Calls>);

#[derive(Default)]
struct Calls {
    /// The oldest first.
    calls: VecDeque<Call>,
    bytes: usize,
}

struct Call {
    id: String,
    since: Instant,
    pending: Pending,
    cx: Context,
}

impl Waiting {
    /// Keeps a call with what is known of who asked for it; by this id a decision finds it.
    pub(super) fn keep(&self, pending: Pending, cx: Context) -> String {
        let id = random::id();
        let mut calls = self.calls();
        calls.make_room(pending.call.arguments.len());
        calls.bytes += pending.call.arguments.len();
        calls.calls.push_back(Call {
            id: id.clone(),
            since: Instant::now(),
            pending,
            cx,
        });
        id
    }

    /// The call of this id, which nobody else gets.
    pub(super) fn take(&self, id: &str) -> Option<(Pending, Context)> {
        let mut calls = self.calls();
        calls.forget_the_old();
        let at = calls.calls.iter().position(|call| call.id == id)?;
        let Call { pending, cx, .. } = calls.calls.remove(at)?;
        calls.bytes -= pending.call.arguments.len();
        Some((pending, cx))
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    fn make_room(&mut self, bytes: usize) {
        self.forget_the_old();
        while self.calls.len() >= CALLS || self.bytes.saturating_add(bytes) > BYTES {
            if !self.forget_one() {
                break;
            }
        }
    }

    fn forget_the_old(&mut self) {
        while self
            .calls
            .front()
            .is_some_and(|call| call.since.elapsed() > KEPT)
        {
            self.forget_one();
        }
    }

    fn forget_one(&mut self) -> bool {
        let oldest = self.calls.pop_front();
        let bytes = oldest
            .as_ref()
            .map(|call| call.pending.call.arguments.len());
        self.bytes -= bytes.unwrap_or_default();
        oldest.is_some()
    }
}
