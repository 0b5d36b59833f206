//! Request bodies: reading with limits of size, time and total memory, and draining an unread rest.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Buf;
use http::{HeaderValue, Request, Response, Version, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::answer::UnreadAnswers;

/// Bodies longer than this take part of the budget.
pub(crate) const LARGE_BODY: usize = 64 * 1024;

/// Bytes of large requests that a server holds at once, each until it is answered. A body over the budget is refused at
/// once, since waiting for other calls could take forever.
const REQUEST_BYTES: usize = 256 * 1024 * 1024;

/// Time for a client to finish sending an unread body. Most clients read the response only after that.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes of requests and answers that a server holds at once. Without it, many large uploads, or many clients that read
/// nothing, could exhaust its memory.
pub struct Budget {
    requests: Arc<Semaphore>,
    /// Answers that clients have not read. While they are over their bound, [`read`] refuses every body.
    pub answers: UnreadAnswers,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            requests: Arc::new(Semaphore::new(REQUEST_BYTES)),
            answers: UnreadAnswers::default(),
        }
    }
}

/// A complete body.
pub struct FullBody {
    /// Bytes of all frames.
    pub bytes: Vec<u8>,
    /// Permit to hold a large body, or the call made of it.
    pub permit: BodyPermit,
}

/// Permit to hold a large body. `None` for a small one.
pub type BodyPermit = Option<OwnedSemaphorePermit>;

/// Error of a body that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyError {
    /// The body is longer than the limit.
    TooLarge,
    /// The client took too long.
    TooSlow,
    /// Other requests, or answers that other clients do not read, use the budget.
    OverBudget,
    /// The connection broke, or the framing is invalid.
    Lost,
}

/// Reads a body of at most `limit` bytes within `time`.
pub async fn read<B: Body>(
    body: B,
    limit: usize,
    time: Duration,
    budget: &Budget,
) -> Result<FullBody, BodyError> {
    let body = pin!(body);
    if budget.answers.are_too_many() {
        return Err(BodyError::OverBudget);
    }
    // A declared length above the limit is refused without waiting.
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::TooLarge);
    }
    let whole = timeout(time, collect(body, limit, budget)).await;
    whole.unwrap_or(Err(BodyError::TooSlow))
}

async fn collect<B: Body>(
    mut body: Pin<&mut B>,
    limit: usize,
    budget: &Budget,
) -> Result<FullBody, BodyError> {
    // The declared length is only a claim, so little is allocated for it.
    let size_hint = body.size_hint().lower().min(LARGE_BODY as u64);
    let mut whole = FullBody {
        bytes: Vec::with_capacity(usize::try_from(size_hint).unwrap_or(0)),
        permit: None,
    };
    while let Some(frame) = body.frame().await {
        let Ok(mut data) = frame.map_err(|_| BodyError::Lost)?.into_data() else {
            continue;
        };
        if whole.bytes.len() + data.remaining() > limit {
            return Err(BodyError::TooLarge);
        }
        while data.has_remaining() {
            let piece = data.chunk();
            whole.bytes.extend_from_slice(piece);
            let taken = piece.len();
            data.advance(taken);
        }
        let held = whole
            .permit
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        if whole.bytes.len() > LARGE_BODY.max(held) {
            // Counts bytes that arrived. Declaring a length costs a client nothing.
            let more = u32::try_from(whole.bytes.len() - held).unwrap_or(u32::MAX);
            let more = Arc::clone(&budget.requests).try_acquire_many_owned(more);
            let more = more.map_err(|_| BodyError::OverBudget)?;
            match &mut whole.permit {
                Some(held) => held.merge(more),
                None => whole.permit = Some(more),
            }
        }
    }
    Ok(whole)
}

/// Answers a request, then reads the rest of its body for a short time. If there is still more, the response closes the
/// connection. Otherwise the server would close it silently, and the client would lose its next request.
pub async fn read_to_end<B, R, F>(
    request: Request<B>,
    answer: impl FnOnce(Request<RequestBody<B>>) -> F,
) -> Response<R>
where
    B: Body + Send + 'static,
    F: Future<Output = Response<R>>,
{
    let version = request.version();
    let rest = Rest::default();
    let mut response = answer(request.map(|body| RequestBody {
        body: Some(Box::pin(body)),
        rest: Arc::clone(&rest),
    }))
    .await;
    let unread = lock(&rest).take();
    if let Some(body) = unread
        && !drain(body).await
        && version <= Version::HTTP_11
    {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}

/// Reads a body until it ends. False if it does not end in time.
async fn drain<B: Body>(mut body: Pin<Box<B>>) -> bool {
    let read = async {
        loop {
            match body.frame().await {
                Some(Ok(_)) => {}
                Some(Err(_)) => return false,
                None => return true,
            }
        }
    };
    timeout(DRAIN_TIMEOUT, read).await.unwrap_or(false)
}

/// Holds a body that was dropped before its end.
type Rest<B> = Arc<Mutex<Option<Pin<Box<B>>>>>;

fn lock<B>(rest: &Rest<B>) -> MutexGuard<'_, Option<Pin<Box<B>>>> {
    rest.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request body for [`read_to_end`].
pub struct RequestBody<B: Body> {
    /// `None` after the end.
    body: Option<Pin<Box<B>>>,
    rest: Rest<B>,
}

impl<B: Body> Body for RequestBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let polled = body.as_mut().poll_frame(cx);
        if matches!(polled, Poll::Ready(None)) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let hint = self.body.as_ref().map(Body::size_hint);
        hint.unwrap_or(SizeHint::with_exact(0))
    }
}

impl<B: Body> Drop for RequestBody<B> {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            *lock(&self.rest) = Some(body);
        }
    }
}
