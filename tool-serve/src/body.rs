//! A request's body, as far as it may go.

use std::pin::{Pin, pin};
use std::time::Duration;

use bytes::Buf;
use http_body::Body;
use http_body_util::BodyExt;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// From here on a body is a large one, of which few are held at once.
const LARGE: usize = 64 * 1024;

/// How many large bodies a server holds at once, each until its request is answered.
pub(crate) const LARGE_BODIES: usize = 16;

/// A client that still sends what nobody wants is listened to so long, since it reads no answer before
/// it has sent all.
const DRAINING: Duration = Duration::from_secs(2);

/// A body in whole, and the right to hold it, or what is made of it, if it is large.
pub(crate) struct Whole<'s> {
    pub(crate) bytes: Vec<u8>,
    large: Option<SemaphorePermit<'s>>,
}

/// Why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// It is longer than it may be.
    TooLarge,
    /// The client took too long.
    TooSlow,
    /// The connection broke, or the framing is wrong.
    Lost,
}

/// Reads a body of no more than `limit` bytes, for which its client has `time`.
pub(crate) async fn read<B: Body>(
    body: B,
    limit: usize,
    time: Duration,
    large: &Semaphore,
) -> Result<Whole<'_>, Broken> {
    let mut body = pin!(body);
    // What its head tells is not waited for.
    let whole = if body.size_hint().lower() > limit as u64 {
        Err(Broken::TooLarge)
    } else {
        let whole = timeout(time, collect(body.as_mut(), limit, large)).await;
        whole.unwrap_or(Err(Broken::TooSlow))
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
    // As much as its head tells, if that is not much: nothing of it is there yet.
    let told = body.size_hint().lower().min(LARGE as u64);
    let mut whole = Whole {
        bytes: Vec::with_capacity(usize::try_from(told).unwrap_or(0)),
        large: None,
    };
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
        if whole.large.is_none() && whole.bytes.len() > LARGE {
            whole.large = large.acquire().await.ok();
        }
    }
    Ok(whole)
}
