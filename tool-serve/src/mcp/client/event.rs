use std::fmt;
use std::sync::Arc;

use toolwright_runtime::__private::reported;

/// What happens on a connection beside calls, for a host that wants to know: see
/// [`Connector::on_event`](super::Connector::on_event).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// A line that the server's process wrote on its standard error, as it wrote it
    /// ([`Printable`](toolwright_runtime::Printable) makes it safe to print); of one of more than 8 KiB the first
    /// and the last 256 bytes, with `…` between.
    Stderr(String),
    /// What the server has to say for a log: the JSON of `notifications/message`.
    Log(String),
    /// A message of the server's that was passed over, since it could not be read or was a request beside
    /// too many without an answer: what it was.
    BadMessage(String),
    /// The list of tools was read again, since the server said it had changed, or after a new
    /// connection, session or subscription; [`Client::notices`](super::Client::notices) says what is not in it.
    ToolsChanged,
    /// The list of tools could not be read again, and stays as it was: why.
    ListFailed(String),
    /// The connection was lost: why. A new one is tried.
    Lost(String),
    /// There is a connection again.
    Reconnected,
    /// A new connection could not be made: why. It is tried again, later each time.
    ReconnectFailed(String),
}

/// Who is told.
#[derive(Clone, Default)]
pub(super) struct Events(pub(super) Option<Arc<Tell>>);

type Tell = dyn Fn(&ClientEvent) + Send + Sync;

impl Events {
    pub(super) fn tell(&self, event: &ClientEvent) {
        if let Some(told) = &self.0 {
            // A panic of the host's must not end what reads messages.
            reported("a listener of an MCP client", || told(event));
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "told" } else { "not told" })
    }
}
