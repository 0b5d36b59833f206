//! The answer to one request over HTTP: some messages, and its result.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use http::StatusCode;
use tokio::sync::Notify;
use toolwright_http::answer::{UnreadAnswer, UnreadAnswers};

/// Queue capacity in messages; writers wait when it is full.
const MOST_WAITING: u64 = 16;

/// Queue capacity in bytes. One message may exceed it.
const MOST_WAITING_BYTES: usize = 1024 * 1024;

/// So many bytes of messages that were read are kept, for a client that comes back.
const MOST_KEPT: usize = 256 * 1024;

/// So many bytes wait for a client that is gone; of more the first are given up.
const MOST_LEFT: usize = 1024 * 1024;

/// Messages on their way to one reader at a time.
pub(in crate::server) struct Stream {
    /// Its number in the session, if messages that were read are kept.
    kept_as: Option<u64>,
    state: Mutex<StreamState>,
    /// Rings when something was read.
    read: Notify,
}

struct StreamState {
    /// The last messages, in their order; what is not read is among them.
    messages: VecDeque<String>,
    bytes: usize,
    /// Bytes of the messages that are not read yet, counted while there is a reader.
    unread: usize,
    counted: UnreadAnswer,
    /// Number of messages before these.
    gone: u64,
    /// Number of messages that were read.
    read: u64,
    /// Number of requests that are not answered yet.
    writers: usize,
    /// Which reader is the newest.
    readers: u64,
    /// Wakes that one.
    waker: Option<Waker>,
    /// It is gone, and may come back.
    is_left: bool,
    /// HTTP's, of an answer that is the whole response.
    status: StatusCode,
}

/// A message, and its place in the stream.
pub(super) struct StreamMessage {
    pub(super) place: u64,
    pub(super) text: String,
}

impl Stream {
    /// One on which so many requests are answered.
    pub(super) fn new(writers: usize, kept_as: Option<u64>, answers: &UnreadAnswers) -> Arc<Self> {
        Arc::new(Self {
            kept_as,
            state: Mutex::new(StreamState {
                messages: VecDeque::new(),
                bytes: 0,
                unread: 0,
                counted: answers.hold(0),
                gone: 0,
                read: 0,
                writers,
                readers: 0,
                waker: None,
                is_left: false,
                status: StatusCode::OK,
            }),
            read: Notify::new(),
        })
    }

    pub(super) fn kept_as(&self) -> Option<u64> {
        self.kept_as
    }

    fn state(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something, as soon as there is room. Where the reader is gone there may be none, and nobody waits for it.
    pub(in crate::server) async fn say(&self, message: String) -> bool {
        loop {
            let read = self.read.notified();
            tokio::pin!(read);
            read.as_mut().enable();
            {
                let mut state = self.state();
                if state.has_room() {
                    state.push(message, self.kept_as.is_some());
                    let waker = state.waker.take();
                    drop(state);
                    wake(waker);
                    return true;
                }
                if state.is_left {
                    return false;
                }
            }
            read.await;
        }
    }

    /// The answer to one of the requests, for which there is always room. None for one that nobody waits for.
    pub(super) fn answer(&self, message: Option<String>, status: StatusCode) {
        let mut state = self.state();
        state.status = status;
        if let Some(message) = message {
            state.push(message, self.kept_as.is_some());
        }
        state.writers = state.writers.saturating_sub(1);
        let waker = state.waker.take();
        drop(state);
        wake(waker);
    }

    /// Returns true if nothing was said.
    pub(super) fn is_silent(&self) -> bool {
        self.state().last() == 0
    }

    /// So many bytes are kept.
    pub(super) fn bytes(&self) -> usize {
        self.state().bytes
    }

    /// All was said and read.
    pub(super) fn is_over(&self) -> bool {
        let state = self.state();
        state.writers == 0 && state.read == state.last()
    }

    pub(super) fn status(&self) -> StatusCode {
        self.state().status
    }

    /// Reads from this place on; whoever read before reads no more.
    pub(super) fn read_from(&self, place: u64) -> u64 {
        let mut state = self.state();
        state.read = place.clamp(state.gone, state.last());
        state.readers += 1;
        state.is_left = false;
        let read = usize::try_from(state.read - state.gone).unwrap_or(usize::MAX);
        state.unread = state.messages.iter().skip(read).map(String::len).sum();
        state.count();
        let (number, waker) = (state.readers, state.waker.take());
        drop(state);
        // The one before is told that it reads no more.
        wake(waker);
        number
    }

    /// The reader of this number is gone.
    pub(super) fn leave(&self, reader: u64) {
        let mut state = self.state();
        state.is_left |= state.readers == reader;
        state.forget(self.kept_as.is_some());
        drop(state);
        self.read.notify_waiters();
    }

    /// The next message for the reader of this number; `None` at the end.
    pub(super) fn poll(&self, reader: u64, cx: &mut Context<'_>) -> Poll<Option<StreamMessage>> {
        let mut state = self.state();
        if state.readers != reader {
            return Poll::Ready(None);
        }
        let place = state.read;
        let at = usize::try_from(place - state.gone).unwrap_or(usize::MAX);
        let Some(text) = state.messages.get(at).cloned() else {
            if state.writers == 0 {
                return Poll::Ready(None);
            }
            let before = state.waker.replace(cx.waker().clone());
            drop(state);
            drop(before);
            return Poll::Pending;
        };
        state.read += 1;
        state.unread -= text.len();
        state.forget(self.kept_as.is_some());
        drop(state);
        self.read.notify_waiters();
        Poll::Ready(Some(StreamMessage { place, text }))
    }
}

/// Outside of the lock, since a waker is foreign code.
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl StreamState {
    /// Returns the number of messages so far.
    fn last(&self) -> u64 {
        self.gone + self.messages.len() as u64
    }

    fn has_room(&self) -> bool {
        self.last() - self.read < MOST_WAITING && self.unread < MOST_WAITING_BYTES
    }

    fn push(&mut self, message: String, kept: bool) {
        self.bytes += message.len();
        self.unread += message.len();
        self.messages.push_back(message);
        self.forget(kept);
    }

    /// Forgets what was read, or of that what is too much; where nobody reads, also what is not read.
    fn forget(&mut self, kept: bool) {
        let is_too_much = |state: &Self| {
            let is_read = state.gone < state.read && (!kept || state.bytes > MOST_KEPT);
            is_read || (state.is_left && state.bytes > MOST_LEFT)
        };
        // The answer itself is what a client comes back for.
        let is_answer = |state: &Self| kept && state.writers == 0 && state.messages.len() == 1;
        while is_too_much(self) && !is_answer(self) {
            let Some(message) = self.messages.pop_front() else {
                break;
            };
            self.bytes -= message.len();
            self.gone += 1;
            if self.read < self.gone {
                self.read = self.gone;
                self.unread -= message.len();
            }
        }
        self.count();
    }

    /// Counts unread messages. A disconnected client does not block the others.
    fn count(&mut self) {
        let unread = if self.is_left { 0 } else { self.unread };
        self.counted.set(unread);
    }
}
