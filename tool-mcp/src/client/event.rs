use std::fmt;
use std::sync::Arc;

use toolwright_schema::panics::reported;

/// Event of a connection outside of calls: see [`Connector::on_event`](super::Connector::on_event).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// Line of the server's standard error, unescaped ([`Printable`](toolwright_schema::text::Printable) makes it safe to
    /// print). A line of more than 8 KiB is cut to its first and last 512 bytes, with `…` between.
    Stderr(String),
    /// Log message of the server: the JSON of `notifications/message`.
    Log(String),
    /// Description of a message that was skipped or changed: it was unreadable, one request too many in flight, or had a part
    /// that could not be read.
    BadMessage(String),
    /// The list of tools was read again, after a notification, or after a new connection, session or subscription.
    /// [`Client::notices`](super::Client::notices) lists what was refused.
    ToolsChanged,
    /// The list of tools could not be read again, and stays unchanged. Holds the reason.
    ListFailed(String),
    /// The connection was lost, and the client reconnects. Holds the reason.
    Lost(String),
    /// The client has reconnected.
    Reconnected,
    /// A reconnection failed, and is retried after a longer wait. Holds the reason.
    ReconnectFailed(String),
    /// The store of tokens failed, and the client goes on without it. Holds the store's words.
    #[cfg(all(feature = "oauth", feature = "client-http"))]
    TokenStoreFailed(String),
}

/// The host's listener.
#[derive(Clone, Default)]
pub(super) struct EventListener(pub(super) Option<Arc<Tell>>);

type Tell = dyn Fn(&ClientEvent) + Send + Sync;

impl EventListener {
    pub(super) fn tell(&self, event: &ClientEvent) {
        if let Some(told) = &self.0 {
            // A panic of the host's must not end what reads messages.
            reported("a listener of an MCP client", || told(event));
        }
    }
}

impl fmt::Debug for EventListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "told" } else { "not told" })
    }
}
