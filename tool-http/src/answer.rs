//! Response bodies in pieces, whose bytes are counted until the client has read them.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::body::LARGE_BODY;

/// Bytes of answers that may be unread. With more, no further request is read: its answer would come on top.
const UNREAD_BYTES: usize = 64 * 1024 * 1024;

/// Bytes that are handed to the connection at once. It takes the next piece when the client has read enough.
const PIECE: usize = 64 * 1024;

/// Counts the bytes of large answers that clients have not read.
#[derive(Debug, Clone, Default)]
pub struct UnreadAnswers(Arc<AtomicUsize>);

impl UnreadAnswers {
    /// Counts an answer of so many bytes until the value is dropped.
    pub fn hold(&self, bytes: usize) -> UnreadAnswer {
        let mut one = UnreadAnswer {
            all: self.clone(),
            bytes: 0,
        };
        one.set(bytes);
        one
    }

    pub(crate) fn are_too_many(&self) -> bool {
        self.0.load(Ordering::Relaxed) > UNREAD_BYTES
    }
}

/// The counted bytes of one answer.
#[derive(Debug)]
pub struct UnreadAnswer {
    all: UnreadAnswers,
    bytes: usize,
}

impl UnreadAnswer {
    /// Sets the number of unread bytes. Small answers are not counted: the number of connections bounds them.
    pub fn set(&mut self, bytes: usize) {
        let bytes = if bytes > LARGE_BODY { bytes } else { 0 };
        if bytes >= self.bytes {
            self.all.0.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.all.0.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for UnreadAnswer {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// A body in pieces that is counted while it is unread.
#[derive(Debug)]
pub struct Counted<B> {
    body: B,
    /// The rest of a frame.
    rest: Bytes,
    unread: UnreadAnswer,
}

impl<B: Body> Counted<B> {
    /// Counts a body from its declared length on.
    pub fn new(body: B, answers: &UnreadAnswers) -> Self {
        let bytes = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        Self {
            unread: answers.hold(bytes),
            body,
            rest: Bytes::new(),
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Counted<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            match Pin::new(&mut this.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => {
                        this.unread.set(data.len());
                        this.rest = data;
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                other => return other,
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(PIECE));
        // The pieces share one allocation, which lives as long as the last of them.
        if this.rest.is_empty() {
            this.unread.set(0);
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower().saturating_add(rest));
        if let Some(upper) = body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}
