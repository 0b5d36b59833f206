//! The queue of a session: messages that arrive while an agent runs.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use std::task::Poll;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::sync::Notify;
use toolwright_runtime::tool::OpenCalls;

use super::Session;

/// Queue of a conversation: messages of users, and results of calls that stayed open. Cheap to clone; all clones share
/// one queue.
///
/// A running agent takes each message after the current turn and answers it. What arrives after a run is taken by the
/// next one.
#[derive(Debug, Clone, Default)]
pub struct Queue(Arc<QueueShared>);

#[derive(Debug, Default)]
struct QueueShared {
    state: Mutex<QueueState>,
    arrival: Notify,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct QueueState {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    messages: Vec<String>,
    /// Calls that stay open.
    #[serde(default, skip_serializing_if = "OpenCalls::is_empty")]
    open: OpenCalls,
    /// Detached sessions that wait for input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paused: Vec<Session>,
}

/// Queue owned by a session. A clone of the session is another conversation, so its queue has copies of the messages.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OwnQueue(Queue);

impl Clone for OwnQueue {
    fn clone(&self) -> Self {
        let state = self.0.lock();
        Self(Queue::holding(QueueState {
            messages: state.messages.clone(),
            open: state.open.copied(),
            paused: state.paused.clone(),
        }))
    }
}

impl OwnQueue {
    pub(super) fn handle(&self) -> Queue {
        self.0.clone()
    }

    pub(super) fn same(&self) -> Self {
        Self(self.handle())
    }

    pub(super) fn pop(&self) -> Option<String> {
        let mut state = self.0.lock();
        (!state.messages.is_empty()).then(|| state.messages.remove(0))
    }

    pub(super) fn is_untouched(&self) -> bool {
        let state = self.0.lock();
        state.messages.is_empty() && state.open.is_empty() && state.paused.is_empty()
    }

    /// Goes on with the open calls that code in this process works for, if this is a stored copy of their session.
    pub(super) fn adopt(&self, born: &str) {
        let open = self.0.open();
        if !open.is_empty() {
            open.adopt(born);
        }
    }
}

impl Queue {
    fn holding(state: QueueState) -> Self {
        Self(Arc::new(QueueShared {
            state: Mutex::new(state),
            arrival: Notify::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message. It stays in memory, and is lost with the process unless the session is stored after it: a running agent with
    /// a checkpointer stores it with its next checkpoint. Another process cannot leave messages here.
    pub fn push(&self, text: impl Into<String>) {
        self.lock().messages.push(text.into());
        self.0.arrival.notify_waiters();
    }

    /// Returns true if the queue holds neither a message nor a result.
    pub fn is_empty(&self) -> bool {
        let state = self.lock();
        state.messages.is_empty() && !state.open.has_ended()
    }

    /// Waits until there is a message or a result. The session should run then.
    ///
    /// A run takes a result that is ready before its end, and this waits for the next one. So check first: if no
    /// [open call](Session::open) [is live](OpenCalls::is_live) and the queue [is empty](Self::is_empty), only another
    /// message ends the wait.
    pub async fn arrived(&self) {
        let open = self.open();
        let mut ended = std::pin::pin!(open.until_ended());
        let mut message = std::pin::pin!(self.message_arrived());
        std::future::poll_fn(|task| {
            if ended.as_mut().poll(task).is_ready() {
                return Poll::Ready(());
            }
            message.as_mut().poll(task)
        })
        .await;
    }

    async fn message_arrived(&self) {
        loop {
            let arrival = self.0.arrival.notified();
            let mut arrival = std::pin::pin!(arrival);
            // From here on, no message is missed.
            arrival.as_mut().enable();
            if !self.lock().messages.is_empty() {
                return;
            }
            arrival.await;
        }
    }

    pub(crate) fn open(&self) -> OpenCalls {
        self.lock().open.clone()
    }

    /// Returns the ids of detached sessions that wait for input.
    pub fn paused(&self) -> Vec<String> {
        let state = self.lock();
        state
            .paused
            .iter()
            .map(|session| session.id().to_owned())
            .collect()
    }

    /// Takes a detached session that waits for input, to give the input and run it.
    pub fn take_paused(&self, id: &str) -> Option<Session> {
        let mut state = self.lock();
        let place = state.paused.iter().position(|session| session.id() == id)?;
        Some(state.paused.remove(place))
    }

    /// Returns the detached sessions that wait for input.
    pub(crate) fn paused_sessions(&self) -> Vec<Session> {
        self.lock().paused.iter().map(Session::same).collect()
    }

    /// Reads or changes the detached sessions that wait for input.
    pub(crate) fn change_paused<T>(&self, change: impl FnOnce(&mut Vec<Session>) -> T) -> T {
        change(&mut self.lock().paused)
    }

    /// Keeps a detached session that waits for input.
    pub(crate) fn keep_paused(&self, session: Session) {
        self.lock().paused.push(session);
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.lock().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        QueueState::deserialize(deserializer).map(Self::holding)
    }
}
