//! Bodies of responses.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use tokio::time::{Interval, MissedTickBehavior};
use toolwright_runtime::tool::Cancel;

use super::stream::{Stream, StreamMessage};

/// A stream on which nothing is said gets a comment so often, so that nobody between takes it for dead.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Milliseconds that a client waits before it comes back.
const RETRY: u32 = 500;

/// Body of a response.
pub struct HttpBody(BodyKind);

enum BodyKind {
    /// All of it, so that its length can be told.
    Whole(Full<Bytes>),
    Events(Box<Events>),
}

/// Messages as server-sent events.
pub(super) struct Events {
    stream: Arc<Stream>,
    reader: u64,
    keep_alive: Interval,
    /// Ends it early.
    stop: Pin<Box<dyn Future<Output = ()> + Send + Sync>>,
    /// The first event, which says where a client can go on.
    start: Option<Bytes>,
    /// Dropped with the body.
    _held: Box<dyn Send + Sync>,
}

impl Events {
    /// Reads the stream from this place on.
    pub(super) fn new(
        stream: &Arc<Stream>,
        from: u64,
        stop: Cancel,
        held: impl Send + Sync + 'static,
    ) -> Self {
        let mut keep_alive =
            tokio::time::interval_at(tokio::time::Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            reader: stream.read_from(from),
            stream: Arc::clone(stream),
            keep_alive,
            stop: Box::pin(async move { stop.cancelled().await }),
            start: None,
            _held: Box::new(held),
        }
    }

    /// The same, which begins with an event without a message, so that a client that loses the connection early can come
    /// back.
    pub(super) fn primed(mut self) -> Self {
        if let Some(number) = self.stream.kept_as() {
            self.start = Some(format!("id: {number}-0\nretry: {RETRY}\ndata: \n\n").into());
        }
        self
    }

    /// Waits for the first message, and takes it.
    pub(super) async fn first(&mut self) -> Option<StreamMessage> {
        std::future::poll_fn(|cx| self.stream.poll(self.reader, cx)).await
    }

    /// Puts a message back that was taken.
    pub(super) fn begins_with(&mut self, told: StreamMessage) {
        self.start = Some(self.event(told));
    }

    fn event(&self, told: StreamMessage) -> Bytes {
        let StreamMessage { place, text } = told;
        match self.stream.kept_as() {
            // The id says how many messages a client has that read this one.
            Some(number) => format!("id: {number}-{}\ndata: {text}\n\n", place + 1),
            None => format!("data: {text}\n\n"),
        }
        .into()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(start) = self.start.take() {
            return Poll::Ready(Some(start));
        }
        match self.stream.poll(self.reader, cx) {
            Poll::Ready(Some(told)) => {
                self.keep_alive.reset();
                return Poll::Ready(Some(self.event(told)));
            }
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => {}
        }
        if self.stop.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        let comment = Bytes::from_static(b":\n\n");
        self.keep_alive.poll_tick(cx).map(|_| Some(comment))
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.stream.leave(self.reader);
    }
}

impl HttpBody {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(BodyKind::Whole(Full::new(bytes.into())))
    }

    pub(super) fn events(events: Events) -> Self {
        Self(BodyKind::Events(Box::new(events)))
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            BodyKind::Whole(body) => Pin::new(body).poll_frame(cx),
            BodyKind::Events(events) => events
                .poll(cx)
                .map(|event| event.map(|event| Ok(Frame::data(event)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            BodyKind::Whole(body) => body.is_end_stream(),
            BodyKind::Events(_) => false,
        }
    }

    /// Of a stream it is not known before it is written.
    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            BodyKind::Whole(body) => body.size_hint(),
            BodyKind::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpBody").finish_non_exhaustive()
    }
}
