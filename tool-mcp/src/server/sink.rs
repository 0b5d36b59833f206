//! The ways of messages that belong to a request, beside its answer.

use std::sync::Arc;

use tokio::sync::mpsc;

#[cfg(feature = "server-http")]
use super::http::Stream;
use super::requests::Requests;
use crate::protocol::one_line;

#[derive(Clone)]
pub(super) enum Sink {
    Pipe(PipeSink),
    /// Nowhere: the client takes nothing but the answer.
    #[cfg(feature = "server-http")]
    Unheard,
    /// The stream of one request over HTTP.
    #[cfg(feature = "server-http")]
    Stream(Arc<Stream>),
}

impl Sink {
    /// Returns true if it is of a request over HTTP.
    pub(super) fn is_http(&self) -> bool {
        !matches!(self, Self::Pipe(_))
    }

    /// Returns true if the client hears more than the answer.
    pub(super) fn is_heard(&self) -> bool {
        match self {
            Self::Pipe(_) => true,
            #[cfg(feature = "server-http")]
            Self::Unheard => false,
            #[cfg(feature = "server-http")]
            Self::Stream(_) => true,
        }
    }

    /// Sends a message as soon as there is room for it. False if nobody reads any more.
    pub(super) async fn say(&self, message: String) -> bool {
        match self {
            Self::Pipe(out) => {
                out.requests.room().await;
                out.line(message)
            }
            #[cfg(feature = "server-http")]
            Self::Unheard => true,
            #[cfg(feature = "server-http")]
            Self::Stream(stream) => stream.say(message).await,
        }
    }
}

/// The way out of a pipe. What waits there is counted in bytes and not in lines.
#[derive(Clone)]
pub(super) struct PipeSink {
    pub(super) lines: mpsc::UnboundedSender<String>,
    pub(super) requests: Arc<Requests>,
}

impl PipeSink {
    /// Queues a message at once. False if nobody reads any more.
    pub(super) fn line(&self, message: String) -> bool {
        let mut line = one_line(message);
        line.push('\n');
        self.requests.queued(line.len());
        self.lines.send(line).is_ok()
    }
}
