use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolwright::toolset::{BuildError, ConflictError};

use crate::PayloadError;

type Source = Arc<dyn Error + Send + Sync>;

/// Error of a fleet.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FleetError {
    /// The server's address cannot be read.
    Address {
        /// What is wrong with it.
        message: String,
    },
    /// No connection to the server.
    Connect {
        /// The address.
        address: String,
        /// Cause of the failure.
        source: Source,
    },
    /// The server refused a request, or did not answer.
    Server {
        /// What was asked for.
        what: &'static str,
        /// Cause of the failure.
        source: Source,
    },
    /// A queue, an agent or a session has a name that cannot be used.
    Name {
        /// The name.
        name: String,
        /// What a name may be.
        rule: &'static str,
    },
    /// A payload is too large to be sent, and the fleet has no [store](crate::FleetBuilder::payloads) for it.
    TooLarge {
        /// What the payload is.
        what: &'static str,
        /// Its length.
        bytes: usize,
        /// The length that can be sent.
        most: usize,
    },
    /// The store of large payloads failed.
    Payload(PayloadError),
    /// A text cannot be read. Another version may have written it.
    Unreadable {
        /// What the text is.
        what: &'static str,
        /// The reason.
        message: String,
    },
    /// Nobody has said anything in this conversation yet.
    NoConversation {
        /// The agent.
        agent: String,
        /// The conversation's session.
        session: String,
    },
    /// No worker of the agent answers.
    NoWorker {
        /// The agent.
        agent: String,
    },
    /// Two tools have one name.
    Tools(ConflictError),
    /// A definition makes no tool.
    Definition {
        /// The tool.
        tool: String,
        /// The reason.
        source: Arc<BuildError>,
    },
    /// An agent has no [`Checkpointer`](toolwright::agent::store::Checkpointer), so another machine could not continue its sessions.
    NoCheckpointer {
        /// The agent.
        agent: String,
    },
    /// A worker has neither tools nor agents, or two of one name.
    Worker {
        /// What is wrong with it.
        message: String,
    },
    /// A worker stopped because of an error.
    Stopped {
        /// The queue that it served.
        queue: String,
        /// Cause of the failure.
        source: Source,
    },
    /// Calls or runs went on after the worker's [limit](crate::Worker::drain_limit), and could not be stopped.
    StillRunning {
        /// The limit.
        limit: Duration,
    },
}

impl FleetError {
    pub(crate) fn server(
        what: &'static str,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        let source = Arc::from(source.into());
        Self::Server { what, source }
    }

    pub(crate) fn unreadable(what: &'static str, reason: impl fmt::Display) -> Self {
        let message = reason.to_string();
        Self::Unreadable { what, message }
    }
}

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { message } => {
                write!(f, "the server's address cannot be read: {message}")
            }
            Self::Connect { address, source } => {
                write!(f, "no connection to the server {address}: {source}")
            }
            Self::Server { what, source } => write!(f, "the server failed to {what}: {source}"),
            Self::Name { name, rule } => write!(f, "`{name}` is not a name: {rule}"),
            Self::TooLarge { what, bytes, most } => write!(
                f,
                "{what} has {bytes} bytes, and at most {most} can be sent\nhelp: give the fleet a store: `FleetBuilder::payloads`"
            ),
            Self::Payload(error) => error.fmt(f),
            Self::Unreadable { what, message } => write!(f, "{what} cannot be read: {message}"),
            Self::NoConversation { agent, session } => write!(
                f,
                "there is no conversation `{session}` with the agent `{agent}`"
            ),
            Self::NoWorker { agent } => write!(
                f,
                "no worker of the agent `{agent}` answers\nhelp: is the name right, and does a program with `Worker::agent` run?"
            ),
            Self::Tools(error) => error.fmt(f),
            Self::Definition { tool, source } => write!(f, "`{tool}` is not a tool: {source}"),
            Self::NoCheckpointer { agent } => write!(
                f,
                "the agent `{agent}` has no checkpointer\nhelp: `Agent::checkpointer`, with a store that all machines reach"
            ),
            Self::Worker { message } => f.write_str(message),
            Self::Stopped { queue, source } => {
                write!(f, "the worker of the queue `{queue}` stopped: {source}")
            }
            Self::StillRunning { limit } => write!(
                f,
                "calls or runs went on after the limit of {limit:?}, and could not be stopped"
            ),
        }
    }
}

impl Error for FleetError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Connect { source, .. }
            | Self::Server { source, .. }
            | Self::Stopped { source, .. } => Some(&**source),
            Self::Payload(error) => error.source(),
            _ => None,
        }
    }
}

impl From<PayloadError> for FleetError {
    fn from(error: PayloadError) -> Self {
        Self::Payload(error)
    }
}

impl From<ConflictError> for FleetError {
    fn from(error: ConflictError) -> Self {
        Self::Tools(error)
    }
}
