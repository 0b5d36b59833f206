//! Which sessions there are, in the order in which they may go, and which of their calls are not answered yet.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use rmcp::transport::common::server_side_http::SessionId;

/// Beside `rmcp`'s own, which tells neither what a session did nor when.
#[derive(Default)]
pub(super) struct Sessions(Mutex<Known>);

#[derive(Default)]
struct Known {
    sessions: HashMap<SessionId, Session>,
    /// Counts requests.
    now: u64,
}

#[derive(Default)]
struct Session {
    has_called: bool,
    /// When it was last heard of.
    last: u64,
    /// `rmcp` sends an answer to the last request of its id, and one before of the same id would wait for ever: so there
    /// is none.
    calls: HashSet<RequestId>,
}

/// A call that is not answered yet, until this is dropped.
pub(in crate::server) struct Flight {
    sessions: Arc<Sessions>,
    session: SessionId,
    id: RequestId,
}

/// What there is to say of a call that comes in.
pub(super) enum Start {
    Flies(Flight),
    /// Another call of this id is not answered yet.
    Busy,
    /// The session is not there.
    Unknown,
}

impl Known {
    /// The session, which was heard of just now.
    fn heard(&mut self, session: &str) -> Option<&mut Session> {
        self.now += 1;
        let heard = self.sessions.get_mut(session)?;
        heard.last = self.now;
        Some(heard)
    }
}

impl Sessions {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn len(&self) -> usize {
        self.known().sessions.len()
    }

    pub(super) fn opened(&self, session: &str) {
        let mut known = self.known();
        known.sessions.entry(session.into()).or_default();
        known.heard(session);
    }

    pub(super) fn heard(&self, session: &str) {
        self.known().heard(session);
    }

    pub(super) fn start(self: &Arc<Self>, session: &str, id: &RequestId) -> Start {
        let mut known = self.known();
        let Some(heard) = known.heard(session) else {
            return Start::Unknown;
        };
        heard.has_called = true;
        if !heard.calls.insert(id.clone()) {
            return Start::Busy;
        }
        Start::Flies(Flight {
            sessions: Arc::clone(self),
            session: session.into(),
            id: id.clone(),
        })
    }

    /// Takes out the session that may go first: the one that is idle the longest, of those that never called if there is one. None
    /// where each waits for an answer.
    pub(super) fn take_idle(&self) -> Option<SessionId> {
        let mut known = self.known();
        let idle = known
            .sessions
            .iter()
            .filter(|(_, one)| one.calls.is_empty());
        let (session, _) = idle.min_by_key(|(_, one)| (one.has_called, one.last))?;
        let session = Arc::clone(session);
        known.sessions.remove(&session);
        Some(session)
    }

    /// Forgets those that have ended.
    pub(super) fn retain(&self, is_open: impl Fn(&SessionId) -> bool) {
        self.known().sessions.retain(|session, _| is_open(session));
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.known().heard(&self.session) {
            session.calls.remove(&self.id);
        }
    }
}
