use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::sync::Notify;

use super::Session;

/// Messages that are left for a conversation while an agent runs: by a user, and by agents that work
/// [detached](crate::AgentTool::detached). Cheap to clone; all clones are one. Each message is placed
/// after the turn that is going on, and answered; what comes after a run has ended, the next one takes.
#[derive(Debug, Clone, Default)]
pub struct Queue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    held: Mutex<Held>,
    arrival: Notify,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Held {
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

/// The queue of a session. A clone of the session is another conversation: its queue has the messages that
/// stand here, and knows of agents that work detached what a store would tell it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OwnQueue(Queue);

impl Clone for OwnQueue {
    fn clone(&self) -> Self {
        let held = self.0.held();
        Self(Queue::holding(Held {
            messages: held.messages.clone(),
            running: held.running.clone(),
            live: BTreeSet::new(),
            paused: held.paused.clone(),
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
        let mut held = self.0.held();
        (!held.messages.is_empty()).then(|| held.messages.remove(0))
    }

    pub(super) fn is_untouched(&self) -> bool {
        let held = self.0.held();
        held.messages.is_empty() && held.running.is_empty() && held.paused.is_empty()
    }
}

impl Queue {
    fn holding(held: Held) -> Self {
        Self(Arc::new(Shared {
            held: Mutex::new(held),
            arrival: Notify::new(),
        }))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a message.
    pub fn push(&self, text: impl Into<String>) {
        self.held().messages.push(text.into());
        self.0.arrival.notify_waiters();
    }

    /// Whether no message is left.
    pub fn is_empty(&self) -> bool {
        self.held().messages.is_empty()
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
        self.held().running.clone()
    }

    /// The ids of detached sessions that wait for somebody.
    pub fn paused(&self) -> Vec<String> {
        let held = self.held();
        held.paused
            .iter()
            .map(|session| session.id().to_owned())
            .collect()
    }

    /// Takes a detached session that waits for somebody, to say what it waits for and run it.
    pub fn take_paused(&self, id: &str) -> Option<Session> {
        let mut held = self.held();
        let place = held.paused.iter().position(|session| session.id() == id)?;
        Some(held.paused.remove(place))
    }

    /// An agent begins to work detached, unless it does already.
    pub(crate) fn begins(&self, id: &Arc<str>) -> bool {
        let mut held = self.held();
        if !held.live.insert(Arc::clone(id)) {
            return false;
        }
        held.running.retain(|other| other != id);
        held.running.push(Arc::clone(id));
        true
    }

    /// It works no more: what is to be told, and its session, if that waits.
    pub(crate) fn ends(&self, id: &str, told: String, paused: Option<Session>) {
        let mut held = self.held();
        held.live.remove(id);
        held.running.retain(|other| **other != *id);
        held.paused.extend(paused);
        drop(held);
        self.push(told);
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.held().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Held::deserialize(deserializer).map(Self::holding)
    }
}
