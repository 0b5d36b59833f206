//! What a client on a pipe is owed: the requests that are not answered yet, and the answers that are not read.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;

use super::IN_FLIGHT;

/// With so many bytes of answers that the client does not read, nothing more is read from it, and no call of it begins.
const MOST_UNREAD: usize = 16 * 1024 * 1024;

/// So many bytes may be held of requests that are not answered.
const MOST_HELD: usize = 256 * 1024 * 1024;

/// How many requests that were cancelled are remembered.
const CANCELLED: usize = 1024;

/// See the module.
#[derive(Default)]
pub(super) struct Flight {
    known: Mutex<Known>,
    /// Rings when something was answered or read.
    changed: Notify,
    /// Whose call begins, where calls wait.
    turn: tokio::sync::Mutex<()>,
}

/// The right to begin a call before others do.
pub(super) type Turn<'f> = tokio::sync::MutexGuard<'f, ()>;

#[derive(Default)]
struct Known {
    open: HashMap<RequestId, Open>,
    /// The bytes of these requests.
    held: usize,
    /// The bytes of answers that are made and not written.
    unread: usize,
    /// The last ones that were cancelled. What they still come to is dropped by their ids, so that an id
    /// must not be another request's at once.
    cancelled: VecDeque<RequestId>,
    /// Nobody reads any more.
    is_gone: bool,
}

/// A request that is not answered.
struct Open {
    bytes: usize,
    /// Those of its answer, once it is made and not queued.
    answer: usize,
}

impl Flight {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request of so many bytes; `most` is how many there may be.
    pub(super) fn start(
        &self,
        id: &RequestId,
        bytes: usize,
        most: usize,
    ) -> Result<(), &'static str> {
        let mut known = self.known();
        if known.open.len() >= most {
            return Err("too many requests at once");
        }
        if !known.open.is_empty() && known.held + bytes > MOST_HELD {
            return Err("too much in requests at once");
        }
        if known.cancelled.contains(id) {
            return Err("a request with this id was cancelled");
        }
        if known.open.contains_key(id) {
            return Err(IN_FLIGHT);
        }
        known.open.insert(id.clone(), Open { bytes, answer: 0 });
        known.held += bytes;
        Ok(())
    }

    /// The answer to this request is made, and will be queued.
    pub(super) fn answered(&self, id: &RequestId, bytes: usize) {
        let mut known = self.known();
        if let Some(open) = known.open.get_mut(id) {
            open.answer += bytes;
            known.unread += bytes;
        }
    }

    /// The answer to this request is queued, or will never be.
    pub(super) fn landed(&self, id: &RequestId) -> bool {
        let mut known = self.known();
        let Some(open) = known.open.remove(id) else {
            return false;
        };
        known.held -= open.bytes;
        known.unread -= open.answer;
        drop(known);
        self.changed.notify_waiters();
        true
    }

    /// Nobody waits for this request any more.
    pub(super) fn cancel(&self, id: RequestId) {
        if self.landed(&id) {
            let mut known = self.known();
            known.cancelled.push_back(id);
            if known.cancelled.len() > CANCELLED {
                known.cancelled.pop_front();
            }
        }
    }

    pub(super) fn queued(&self, bytes: usize) {
        self.known().unread += bytes;
    }

    pub(super) fn written(&self, bytes: usize) {
        self.known().unread -= bytes;
        self.changed.notify_waiters();
    }

    /// Nobody reads any more, and nothing waits for that.
    pub(super) fn is_gone(&self) {
        self.known().is_gone = true;
        self.changed.notify_waiters();
    }

    fn is_full(&self) -> bool {
        let known = self.known();
        known.unread >= MOST_UNREAD && !known.is_gone
    }

    /// Waits until the client has read enough.
    pub(super) async fn room(&self) {
        self.until(|| !self.is_full()).await;
    }

    /// The same before a call. Where calls wait, they begin one by one, so that each sees what those before it came to.
    pub(super) async fn turn(&self) -> Option<Turn<'_>> {
        if !self.is_full() {
            return None;
        }
        let turn = self.turn.lock().await;
        self.room().await;
        Some(turn)
    }

    pub(super) async fn all_landed(&self) {
        self.until(|| self.known().open.is_empty()).await;
    }

    async fn until(&self, is_so: impl Fn() -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Before the look, so that what changes in between is not missed.
            changed.as_mut().enable();
            if is_so() {
                return;
            }
            changed.await;
        }
    }
}
