//! The queue of a session: messages that arrive while an agent runs.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::sync::Notify;

use super::Session;

/// Queue of messages for a conversation, from users and from [detached](crate::AgentTool::detached) agents. Cheap to
/// clone; all clones share one queue.
///
/// A running agent takes each message after the current turn and answers it. Messages that arrive after a run are taken
/// by the next one.
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
    /// Ids of detached sessions that have not ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    running: Vec<Arc<str>>,
    /// Ids of detached sessions with a task in this process.
    #[serde(skip)]
    live: BTreeSet<Arc<str>>,
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
            running: state.running.clone(),
            live: BTreeSet::new(),
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
        state.messages.is_empty() && state.running.is_empty() && state.paused.is_empty()
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

    /// Adds a message.
    pub fn push(&self, text: impl Into<String>) {
        self.lock().messages.push(text.into());
        self.0.arrival.notify_waiters();
    }

    /// Returns true if the queue holds no message.
    pub fn is_empty(&self) -> bool {
        self.lock().messages.is_empty()
    }

    /// Waits until there is a message. The session should run then.
    pub async fn arrived(&self) {
        loop {
            let arrival = self.0.arrival.notified();
            let mut arrival = std::pin::pin!(arrival);
            // From here on, no message is missed.
            arrival.as_mut().enable();
            if !self.is_empty() {
                return;
            }
            arrival.await;
        }
    }

    /// Returns the ids of the sessions whose agents run detached, in the order in which they started. In a session from
    /// a store, these agents ended with their process; an agent with the same checkpointer can
    /// [resume](crate::Agent::resume) them.
    pub fn running(&self) -> Vec<Arc<str>> {
        self.lock().running.clone()
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

    /// Marks a detached session as running. Returns false if it runs already.
    pub(crate) fn begins(&self, id: &Arc<str>) -> bool {
        let mut state = self.lock();
        if !state.live.insert(Arc::clone(id)) {
            return false;
        }
        state.running.retain(|other| other != id);
        state.running.push(Arc::clone(id));
        true
    }

    /// Ends a detached session. Adds its message, and keeps the session if it paused.
    pub(crate) fn ends(&self, id: &str, message: String, paused: Option<Session>) {
        let mut state = self.lock();
        state.live.remove(id);
        state.running.retain(|other| **other != *id);
        state.paused.extend(paused);
        drop(state);
        self.push(message);
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
