//! Server-sent events, as the HTML standard defines them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use http_body::{Body, Frame};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::headers::EVENT_STREAM;

/// Interval of comments on a silent stream. They detect a disconnected client, and keep proxies from closing the
/// connection.
pub const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Source of a stream's events.
pub trait EventSource: Send {
    /// Returns the text of the next event, as [`event`] writes it. `None` ends the stream.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<String>>;
}

/// Writes an event with JSON as its data. A line end ends a field, whether it is `\n`, `\r` or `\r\n`, so each line of
/// the JSON has a field of its own.
pub fn event(fields: &[(&str, &str)], json: &str) -> String {
    let mut text = String::with_capacity(json.len() + 64);
    for (name, value) in fields {
        text.extend([name, ": ", value, "\n"]);
    }
    for line in json.split(['\n', '\r']) {
        text.extend(["data: ", line, "\n"]);
    }
    text.push('\n');
    text
}

/// Adds the headers of a stream of events.
pub fn add_headers(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_TYPE, EVENT_STREAM),
        (header::CACHE_CONTROL, "no-store"),
        // Keeps proxies from buffering events.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// A stream of events as a response body.
pub struct EventBody {
    /// Never locked: the mutex makes the body `Sync`.
    source: Mutex<Box<dyn EventSource>>,
    keep_alive: Interval,
}

impl EventBody {
    /// Starts the interval of comments.
    pub fn new(source: impl EventSource + 'static) -> Self {
        let mut keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            source: Mutex::new(Box::new(source)),
            keep_alive,
        }
    }
}

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let source = this
            .source
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let text = match source.poll_event(cx) {
            Poll::Ready(Some(text)) => {
                this.keep_alive.reset();
                text.into()
            }
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending if this.keep_alive.poll_tick(cx).is_ready() => {
                Bytes::from_static(b":\n\n")
            }
            Poll::Pending => return Poll::Pending,
        };
        Poll::Ready(Some(Ok(Frame::data(text))))
    }
}
