//! Sessions that are kept outside of the process.

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use toolwright_runtime::tool::BoxFuture;

use crate::protocol::Version;
use crate::server::peer::{Capabilities, Hello, Peer};

/// Where an MCP server keeps its sessions over HTTP, so that they outlive it, or go on at other servers that have the same
/// store: see [`McpServer::session_store`](crate::McpServer::session_store). Protocol 2026-07-28 has no sessions.
///
/// The store is asked with each request of a session, and decides whether there is one: when it is over, and that one
/// which was removed is not known any more. What is on its way stays in the process: calls and their answers, streams that
/// a client may come back to, subscriptions, and the level of logs.
pub trait SessionStore: Send + Sync {
    /// Returns the session of this id, if there is one. The id is secret: whoever knows it, and has the right token, is in.
    ///
    /// # Errors
    /// If the store fails. The request is answered by 503.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, io::Result<Option<StoredSession>>>;

    /// Keeps a session that begins.
    ///
    /// # Errors
    /// If the store fails. The session does not begin.
    fn save<'a>(&'a self, id: &'a str, session: &'a StoredSession)
    -> BoxFuture<'a, io::Result<()>>;

    /// Removes a session. Does nothing if there is none.
    ///
    /// # Errors
    /// If the store fails.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, io::Result<()>>;
}

/// A session as a [`SessionStore`] keeps it: what the client said when it greeted, and to whom the session belongs. Keep it
/// as JSON; it says its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSession {
    /// Of this form.
    form: u8,
    protocol: String,
    capabilities: String,
    /// What its calls know it by.
    peer: String,
    owner: Option<String>,
}

/// The form that is written.
const FORM: u8 = 1;

impl StoredSession {
    pub(super) fn of(peer: &Peer, owner: Option<String>) -> Option<Self> {
        let hello = peer.hello()?;
        Some(Self {
            form: FORM,
            protocol: hello.version.as_str().to_owned(),
            capabilities: hello.capabilities.as_json().to_owned(),
            peer: peer.id().to_owned(),
            owner,
        })
    }

    pub(super) fn is_of(&self, owner: Option<&str>) -> bool {
        self.owner.as_deref() == owner
    }

    /// The client, as it was when it had greeted.
    pub(super) fn peer(self) -> io::Result<Peer> {
        let version = Version::read(&self.protocol).filter(|_| self.form == FORM);
        let capabilities = Capabilities::new(&self.capabilities).ok();
        let (Some(version), Some(capabilities)) = (version, capabilities) else {
            let words = "the session was stored by another version of this server";
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        };
        Ok(Peer::known(
            self.peer,
            Hello {
                version,
                capabilities: Arc::new(capabilities),
            },
        ))
    }
}

/// What a store comes to, whose panic is an error.
pub(super) async fn asked<T>(store: BoxFuture<'_, io::Result<T>>) -> io::Result<T> {
    let panicked = |_| Err(io::Error::other("the store of sessions panicked"));
    AssertUnwindSafe(store)
        .catch_unwind()
        .await
        .unwrap_or_else(panicked)
}
