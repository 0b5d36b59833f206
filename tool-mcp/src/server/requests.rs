//! The requests of a client that are not answered yet, and on a pipe the answers that are not read.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use toolwright_runtime::tool::Cancel;

use crate::protocol::Id;

/// With so many bytes of answers that the client does not read, nothing more is read from it, and no call of it begins.
const MOST_UNREAD: usize = 16 * 1024 * 1024;

/// So many bytes may be held of requests that are not answered.
const MOST_HELD: usize = 256 * 1024 * 1024;

/// See the module.
#[derive(Default)]
pub(super) struct Requests {
    known: Mutex<RequestTable>,
    /// Rings when something was answered or read.
    changed: Notify,
    /// The call that begins next, where calls wait.
    turn: tokio::sync::Mutex<()>,
    /// Number of ids of cancelled requests that are remembered.
    remembers: usize,
}

/// The right to begin a call before others do.
pub(super) type TurnGuard<'r> = tokio::sync::MutexGuard<'r, ()>;

#[derive(Default)]
struct RequestTable {
    open: HashMap<Id, OpenRequest>,
    /// Numbers requests.
    last: u64,
    /// Number of requests whose answer is being queued.
    sending: usize,
    /// The bytes of these requests.
    held: usize,
    /// The bytes of messages that are queued and not written.
    unread: usize,
    /// The last ones that were cancelled. A client that writes faster than it reads may not know yet.
    cancelled: VecDeque<Id>,
    /// Nobody reads any more.
    is_gone: bool,
}

/// A request that is not answered.
struct OpenRequest {
    number: u64,
    bytes: usize,
    stop: Cancel,
}

/// A request's place among those that are not answered, until this is dropped.
pub(super) struct Ticket {
    requests: Arc<Requests>,
    id: Id,
    number: u64,
    is_sending: bool,
}

impl Requests {
    /// Makes those of a client on a pipe, which may use an id again before it has read what became of the request.
    pub(super) fn on_a_pipe() -> Self {
        Self {
            remembers: 1024,
            ..Self::default()
        }
    }

    fn known(&self) -> MutexGuard<'_, RequestTable> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request of so many bytes, which `stop` ends; `most` is how many there may be.
    pub(super) fn start(
        self: &Arc<Self>,
        id: &Id,
        bytes: usize,
        most: usize,
        stop: &Cancel,
    ) -> Result<Ticket, &'static str> {
        let mut known = self.known();
        let known = &mut *known;
        if known.open.len() >= most {
            return Err("too many requests at once");
        }
        if !known.open.is_empty() && known.held + bytes > MOST_HELD {
            return Err("too much in requests at once");
        }
        if known.cancelled.contains(id) {
            return Err("a request with this id was cancelled");
        }
        let Entry::Vacant(free) = known.open.entry(id.clone()) else {
            return Err("another request with this id is not answered yet");
        };
        known.last += 1;
        known.held += bytes;
        free.insert(OpenRequest {
            number: known.last,
            bytes,
            stop: stop.clone(),
        });
        Ok(Ticket {
            requests: Arc::clone(self),
            id: id.clone(),
            number: known.last,
            is_sending: false,
        })
    }

    /// Nobody waits for this request any more.
    pub(super) fn cancel(&self, id: &Id) {
        let mut known = self.known();
        let Some(open) = known.remove(id) else {
            return;
        };
        if self.remembers > 0 {
            known.cancelled.push_back(id.clone());
            if known.cancelled.len() > self.remembers {
                known.cancelled.pop_front();
            }
        }
        drop(known);
        open.stop.cancel();
        self.changed.notify_waiters();
    }

    /// Nobody waits for anything any more.
    #[cfg(feature = "server-http")]
    pub(super) fn cancel_all(&self) {
        let open = {
            let mut known = self.known();
            known.held = 0;
            std::mem::take(&mut known.open)
        };
        for open in open.values() {
            open.stop.cancel();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let known = self.known();
        known.open.is_empty() && known.sending == 0
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
    pub(super) async fn turn(&self) -> Option<TurnGuard<'_>> {
        if !self.is_full() {
            return None;
        }
        let turn = self.turn.lock().await;
        self.room().await;
        Some(turn)
    }

    pub(super) async fn all_answered(&self) {
        self.until(|| self.is_empty()).await;
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

impl RequestTable {
    fn remove(&mut self, id: &Id) -> Option<OpenRequest> {
        let open = self.open.remove(id)?;
        self.held -= open.bytes;
        Some(open)
    }

    fn is_open(&self, ticket: &Ticket) -> bool {
        let open = self.open.get(&ticket.id);
        open.is_some_and(|open| open.number == ticket.number)
    }
}

impl Ticket {
    /// Frees the id, so that a client can use it again as soon as it has read the answer. Returns false if the request was cancelled.
    /// Otherwise the caller queues the answer before it drops this.
    pub(super) fn begin_answer(&mut self) -> bool {
        let mut known = self.requests.known();
        if !known.is_open(self) {
            return false;
        }
        known.remove(&self.id);
        known.sending += 1;
        self.is_sending = true;
        true
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut known = self.requests.known();
        if self.is_sending {
            known.sending -= 1;
        } else if known.is_open(self) {
            known.remove(&self.id);
        } else {
            return;
        }
        drop(known);
        self.requests.changed.notify_waiters();
    }
}
