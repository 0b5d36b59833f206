//! Sessions that are kept outside of the process.

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use toolwright_runtime::tool::BoxFuture;

use crate::protocol::Version;
use crate::server::peer::{Capabilities, Hello, Peer};

/// Stores the sessions of an MCP server over HTTP, so that they survive a restart or can continue on another server with
/// the same store. See [`McpServer::session_store`](crate::McpServer::session_store). Protocol 2026-07-28 has no sessions.
///
/// Each request of a session loads it: a session that the store does not return has ended. Running calls and their answers,
/// resumable streams, subscriptions and the log level are not stored; they stay in the process.
pub trait SessionStore: Send + Sync {
    /// Returns the session with this id, if there is one. The id is a secret.
    ///
    /// # Errors
    /// If the store fails. The request gets status 503.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, io::Result<Option<StoredSession>>>;

    /// Stores a new session.
    ///
    /// # Errors
    /// If the store fails. The session is not opened.
    fn save<'a>(&'a self, id: &'a str, session: &'a StoredSession)
    -> BoxFuture<'a, io::Result<()>>;

    /// Removes a session. Does nothing if there is none.
    ///
    /// # Errors
    /// If the store fails.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, io::Result<()>>;
}

/// A session in a [`SessionStore`]: what the client said in `initialize`, and the owner. Serialize it as JSON, which includes
/// a format version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSession {
    /// Form of the record.
    form: u8,
    protocol: String,
    capabilities: String,
    /// Its calls' name for it.
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

/// Returns the outcome of a store, whose panic is an error.
pub(super) async fn asked<T>(store: BoxFuture<'_, io::Result<T>>) -> io::Result<T> {
    let panicked = |_| Err(io::Error::other("the store of sessions panicked"));
    AssertUnwindSafe(store)
        .catch_unwind()
        .await
        .unwrap_or_else(panicked)
}
