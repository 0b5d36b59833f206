//! Messages on their way to the server.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use toolwright_json::ObjectWriter;
use toolwright_runtime::tool::Context;

use super::ServerQuestion;
use super::guards::ServerRequest;
use crate::client::in_flight::InFlight;
use crate::protocol::one_line;

/// A message on its way out.
pub(in crate::client) struct Outgoing {
    pub(in crate::client) text: String,
    #[cfg_attr(not(feature = "client-http"), allow(dead_code))]
    pub(in crate::client) head: Head,
    /// True if a second request does no harm.
    #[cfg_attr(not(feature = "client-http"), allow(dead_code))]
    pub(in crate::client) is_repeatable: bool,
    /// Id and progress of a request.
    pub(in crate::client) request: Option<(u64, Arc<InFlight>)>,
    /// Told when it is out, or will never be.
    pub(in crate::client) done: Option<oneshot::Sender<()>>,
    /// The room that it takes while it waits.
    pub(in crate::client) capacity: Option<OwnedSemaphorePermit>,
    /// The request that is answered. It is held until the message is sent.
    #[cfg_attr(not(feature = "client-http"), allow(dead_code))]
    pub(in crate::client) asked: Option<ServerRequest>,
}

/// The parts of a message that headers of HTTP repeat.
#[derive(Debug, Clone, Default)]
pub(in crate::client) struct Head {
    pub(in crate::client) method: String,
    pub(in crate::client) name: Option<String>,
    /// Headers in lower case, with their values.
    pub(in crate::client) parameters: Vec<(String, String)>,
}

#[cfg(feature = "client-http")]
impl Head {
    /// Returns true for requests that calls of a new session wait for.
    pub(in crate::client) fn is_awaited(&self) -> bool {
        matches!(&*self.method, "initialize" | "tools/list")
    }

    /// Returns the tool of a call.
    #[cfg(feature = "lock")]
    pub(in crate::client) fn called_tool(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| self.method == "tools/call")
    }
}

/// A request of ours, before it is sent.
pub(in crate::client) struct Request {
    pub(in crate::client) head: Head,
    pub(in crate::client) params: ObjectWriter,
    /// Entries of `_meta`.
    pub(in crate::client) meta: ObjectWriter,
    pub(in crate::client) context: Option<Context>,
    /// Takes a question during the call: see [`PendingRequest::next_question`](super::PendingRequest::next_question).
    pub(in crate::client) question: Option<oneshot::Sender<ServerQuestion>>,
    /// True if a second request does no harm.
    pub(in crate::client) is_repeatable: bool,
}

impl Request {
    pub(in crate::client) fn new(method: &str) -> Self {
        Self {
            head: Head {
                method: method.to_owned(),
                ..Head::default()
            },
            params: ObjectWriter::new(),
            meta: ObjectWriter::new(),
            context: None,
            question: None,
            is_repeatable: true,
        }
    }
}

/// A message that is not a request, in one line.
pub(super) fn message(text: String, asked: Option<ServerRequest>) -> Outgoing {
    Outgoing {
        text: one_line(text),
        head: Head::default(),
        is_repeatable: false,
        request: None,
        done: None,
        capacity: None,
        asked,
    }
}
