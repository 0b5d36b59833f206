//! Bodies of responses.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use toolwright_http::answer::{Counted, UnreadAnswers};
use toolwright_http::events::{EventBody, EventSource, event};
use toolwright_runtime::tool::Cancel;

use super::stream::{Stream, StreamMessage};

/// Milliseconds that a client waits before it comes back.
const RETRY: &str = "500";

/// Body of a response.
pub struct HttpBody(Counted<Content>);

impl HttpBody {
    pub(super) fn new(content: Content, answers: &UnreadAnswers) -> Self {
        Self(Counted::new(content, answers))
    }
}

/// Content of a response.
pub(super) enum Content {
    /// All of it, so that its length is known.
    Whole(Full<Bytes>),
    Events(Box<EventBody>),
}

/// Messages as server-sent events.
pub(super) struct Events {
    stream: Arc<Stream>,
    reader: u64,
    /// Ends it early.
    stop: Pin<Box<dyn Future<Output = ()> + Send + Sync>>,
    /// The first event, which says where a client can go on.
    start: Option<String>,
    /// Dropped with the body.
    _held: Box<dyn Send + Sync>,
}

impl Events {
    /// Reads the stream from this position on.
    pub(super) fn new(
        stream: &Arc<Stream>,
        from: u64,
        stop: Cancel,
        held: impl Send + Sync + 'static,
    ) -> Self {
        Self {
            reader: stream.read_from(from),
            stream: Arc::clone(stream),
            stop: Box::pin(async move { stop.cancelled().await }),
            start: None,
            _held: Box::new(held),
        }
    }

    /// Begins with an event without a message, so that a client that loses the connection early can come back.
    pub(super) fn primed(mut self) -> Self {
        if let Some(number) = self.stream.kept_as() {
            let id = format!("{number}-0");
            self.start = Some(event(&[("id", &id), ("retry", RETRY)], ""));
        }
        self
    }

    /// Waits for the first message, and takes it.
    pub(super) async fn first(&mut self) -> Option<StreamMessage> {
        std::future::poll_fn(|cx| self.stream.poll(self.reader, cx)).await
    }

    /// Puts a message back that was taken.
    pub(super) fn begins_with(&mut self, message: &StreamMessage) {
        self.start = Some(self.event(message));
    }

    fn event(&self, message: &StreamMessage) -> String {
        match self.stream.kept_as() {
            // The id is the number of messages that a client has read after this one.
            Some(number) => {
                let id = format!("{number}-{}", message.place + 1);
                event(&[("id", &id)], &message.text)
            }
            None => event(&[], &message.text),
        }
    }
}

impl EventSource for Events {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<String>> {
        if let Some(start) = self.start.take() {
            return Poll::Ready(Some(start));
        }
        match self.stream.poll(self.reader, cx) {
            Poll::Ready(message) => Poll::Ready(message.map(|message| self.event(&message))),
            Poll::Pending => self.stop.as_mut().poll(cx).map(|()| None),
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.stream.leave(self.reader);
    }
}

/// Empty.
impl Default for Content {
    fn default() -> Self {
        Self::Whole(Full::default())
    }
}

impl Content {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::Whole(Full::new(bytes.into()))
    }

    pub(super) fn events(events: Events) -> Self {
        Self::Events(Box::new(EventBody::new(events)))
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(body) => Pin::new(body).poll_frame(cx),
            Self::Events(body) => Pin::new(&mut **body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpBody").finish_non_exhaustive()
    }
}
