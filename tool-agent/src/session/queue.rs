use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::sync::Notify;

use super::Session;

/// Messages that are left for a conversation while an agent runs: by a user, and by agents that work
/// [detached](crate::AgentTool::detached). Cheap to clone; all clones are one. Each message is placed
/// after the turn that is going on, and answered; what comes after a run has ended, the next one takes.
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
    /// The ids of detached sessions that have not ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    running: Vec<Arc<str>>,
    /// Those of them that have a task in this program.
    #[serde(skip)]
    live: BTreeSet<Arc<str>>,
    /// Detached sessions that wait for somebody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paused: Vec<Session>,
}

/// Queue of a session. A clone of the session is another conversation. Its queue has the same messages, and what a
/// store would know about detached agents.
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

    /// Leaves a message.
    pub fn push(&self, text: impl Into<String>) {
        self.lock().messages.push(text.into());
        self.0.arrival.notify_waiters();
    }

    /// Returns true if the queue holds no message.
    pub fn is_empty(&self) -> bool {
        self.lock().messages.is_empty()
    }

    /// Waits until a message is left: the session is to be run then.
    pub async fn arrived(&self) {
        loop {
            let arrival = self.0.arrival.notified();
            let mut arrival = std::pin::pin!(arrival);
            // Whatever is left from here on is heard.
            arrival.as_mut().enable();
            if !self.is_empty() {
                return;
            }
            arrival.await;
        }
    }

    /// The ids of the sessions in which agents work detached, in the order in which they began. Those
    /// that stand here in a session from a store ended with their program: an agent with the same
    /// checkpointer can [go on](crate::Agent::resume) with them.
    pub fn running(&self) -> Vec<Arc<str>> {
        self.lock().running.clone()
    }

    /// The ids of detached sessions that wait for somebody.
    pub fn paused(&self) -> Vec<String> {
        let state = self.lock();
        state
            .paused
            .iter()
            .map(|session| session.id().to_owned())
            .collect()
    }

    /// Takes a detached session that waits for somebody, to say what it waits for and run it.
    pub fn take_paused(&self, id: &str) -> Option<Session> {
        let mut state = self.lock();
        let place = state.paused.iter().position(|session| session.id() == id)?;
        Some(state.paused.remove(place))
    }

    /// Marks a detached session as running. Returns false if it is already.
    pub(crate) fn begins(&self, id: &Arc<str>) -> bool {
        let mut state = self.lock();
        if !state.live.insert(Arc::clone(id)) {
            return false;
        }
        state.running.retain(|other| other != id);
        state.running.push(Arc::clone(id));
        true
    }

    /// Ends a detached session: leaves its message, and keeps the session if it is paused.
    pub(crate) fn ends(&self, id: &str, told: String, paused: Option<Session>) {
        let mut state = self.lock();
        state.live.remove(id);
        state.running.retain(|other| **other != *id);
        state.paused.extend(paused);
        drop(state);
        self.push(told);
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
