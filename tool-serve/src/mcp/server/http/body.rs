//! Bodies: of a request, as far as it may go; of a response, with our text in its place.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http::{HeaderMap, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use toolwright_runtime::Cancel;

use crate::mcp::server::limits::ServerLimits;
use crate::mcp::server::raw;

/// From here on a body is a large one, of which few are held at once.
const LARGE: usize = 64 * 1024;

/// A client that still sends what nobody wants is listened to so long, since it reads no answer before
/// it has sent all.
const DRAINING: Duration = Duration::from_secs(2);

/// A body in whole, and the right to hold it if it is large.
pub(super) struct Whole<'s> {
    pub(super) bytes: Vec<u8>,
    large: Option<SemaphorePermit<'s>>,
}

/// Why there is none.
pub(super) enum Broken {
    /// It is longer than it may be.
    TooLarge,
    /// The client took too long.
    TooSlow,
    /// The connection broke, or the framing is wrong.
    Lost,
}

pub(super) async fn read<'s, B>(
    headers: &HeaderMap,
    body: B,
    limits: &ServerLimits,
    large: &'s Semaphore,
) -> Result<Whole<'s>, Broken>
where
    B: Body + Send,
    B::Error: fmt::Display,
{
    let mut body = pin!(body);
    let told = headers.get(header::CONTENT_LENGTH);
    let told = told.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let whole = if told.is_some_and(|length| length > limits.message as u64) {
        Err(Broken::TooLarge)
    } else {
        let whole = timeout(limits.body, collect(body.as_mut(), limits.message, large));
        whole.await.unwrap_or(Err(Broken::TooSlow))
    };
    if let Err(Broken::TooLarge) = whole {
        // Whether all of it came or the time is over is the same.
        let _ = timeout(DRAINING, async {
            while let Some(Ok(_)) = body.frame().await {}
        })
        .await;
    }
    whole
}

async fn collect<'s, B: Body>(
    mut body: Pin<&mut B>,
    limit: usize,
    large: &'s Semaphore,
) -> Result<Whole<'s>, Broken> {
    let mut whole = Whole {
        bytes: Vec::new(),
        large: None,
    };
    let mut is_large = false;
    while let Some(frame) = body.frame().await {
        let Ok(mut data) = frame.map_err(|_| Broken::Lost)?.into_data() else {
            continue;
        };
        if whole.bytes.len() + data.remaining() > limit {
            return Err(Broken::TooLarge);
        }
        while data.has_remaining() {
            let piece = data.chunk();
            whole.bytes.extend_from_slice(piece);
            let taken = piece.len();
            data.advance(taken);
        }
        if !is_large && whole.bytes.len() > LARGE {
            is_large = true;
            whole.large = large.acquire().await.ok();
        }
    }
    Ok(whole)
}

/// The body of an answer.
pub struct HttpBody {
    body: BoxBody<Bytes, Infallible>,
    /// Ends it early.
    stop: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
}

impl HttpBody {
    pub(super) fn new(body: BoxBody<Bytes, Infallible>, stop: Option<Cancel>) -> Self {
        Self {
            body,
            stop: stop.map(|stop| Box::pin(async move { stop.cancelled().await }) as _),
        }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    /// Each frame is a whole message, or none.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(stop) = &mut self.stop
            && stop.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(cx).map_ok(|frame| {
            frame.map_data(|data| match raw::splice(&data) {
                Cow::Borrowed(_) => data,
                Cow::Owned(spliced) => spliced.into(),
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    /// Unknown until it is written.
    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpBody").finish_non_exhaustive()
    }
}
