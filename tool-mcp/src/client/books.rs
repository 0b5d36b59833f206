//! Which requests of one connection have no answer yet, at either end.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};

use rmcp::model::RequestId;

use super::desk::Desk;
use super::slot::Slot;

/// So many requests of the server's may be without an answer that was sent: more are passed over, since a
/// server that asks and does not read would fill the memory with answers.
const MOST_ASKED: usize = 256;

#[derive(Default)]
pub(super) struct Books {
    open: HashMap<i64, Open>,
    /// Which request goes by a token of progress.
    tokens: HashMap<i64, i64>,
    /// What `rmcp` asks for itself, one thing at a time: to be greeted, and then to be told of changes.
    own: Option<i64>,
    /// The same as long as it is a greeting.
    greeting: Option<i64>,
    /// The server's requests that have no answer that was sent.
    asked: HashSet<RequestId>,
}

/// A request of ours without an answer.
pub(super) struct Open {
    /// None for what `rmcp` asks for itself.
    pub(super) slot: Option<Weak<Slot>>,
    token: Option<i64>,
}

impl Books {
    /// A request is sent whose answer goes into the slot.
    pub(super) fn open(&mut self, id: i64, slot: Weak<Slot>, token: Option<i64>) {
        if let Some(token) = token {
            self.tokens.insert(token, id);
        }
        let slot = Some(slot);
        self.open.insert(id, Open { slot, token });
    }

    /// A request of `rmcp`'s own is sent.
    pub(super) fn open_own(&mut self, id: i64, is_greeting: bool) {
        // A server that starts slowly answers the first way to say hello when the second is
        // under way; `rmcp` takes that for a broken handshake.
        if let Some(before) = self.own.replace(id) {
            self.close(before);
        }
        self.greeting = is_greeting.then_some(id);
        let (slot, token) = (None, None);
        self.open.insert(id, Open { slot, token });
    }

    /// A request is answered, or nobody waits for its answer any more.
    pub(super) fn close(&mut self, id: i64) -> Option<Open> {
        if self.greeting == Some(id) {
            // What a server asked before it said hello `rmcp` answers by then, or not at all; and whoever asked in a
            // session before this one is not there any more.
            self.greeting = None;
            self.asked.clear();
        }
        let open = self.open.remove(&id)?;
        if let Some(token) = open.token {
            self.tokens.remove(&token);
        }
        Some(open)
    }

    /// Where the answer to the request goes that has this token of progress.
    pub(super) fn slot_of(&self, token: i64) -> Option<Weak<Slot>> {
        let id = self.tokens.get(&token)?;
        self.open.get(id)?.slot.clone()
    }

    /// The server asks something.
    ///
    /// # Errors
    /// Why it is passed over.
    pub(super) fn ask(&mut self, id: &RequestId) -> Result<(), String> {
        if self.asked.len() >= MOST_ASKED {
            return Err(format!("a request beside {MOST_ASKED} without an answer"));
        }
        if !self.asked.insert(id.clone()) {
            return Err("a request with the id of one without an answer".to_owned());
        }
        Ok(())
    }

    /// The server has its answer, or does not want it any more.
    pub(super) fn tell(&mut self, id: &RequestId) {
        self.asked.remove(id);
    }
}

/// A request's place in the books, which is given up when this is dropped.
pub(super) struct Entry {
    desk: Weak<Desk>,
    id: i64,
}

impl Entry {
    pub(super) fn new(desk: &Arc<Desk>, id: i64) -> Self {
        let desk = Arc::downgrade(desk);
        Self { desk, id }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(desk) = self.desk.upgrade() {
            desk.books().close(self.id);
        }
    }
}

/// A request of the server's whose answer is on its way, until this is dropped.
pub(super) struct Asked {
    desk: Arc<Desk>,
    id: RequestId,
}

impl Asked {
    pub(super) fn new(desk: &Arc<Desk>, id: &RequestId) -> Self {
        let (desk, id) = (Arc::clone(desk), id.clone());
        Self { desk, id }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.desk.books().tell(&self.id);
    }
}
