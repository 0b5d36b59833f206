//! A request's body, as far as it may go.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use futures_core::Stream;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// How long a client may take to send it.
const SENDING: Duration = Duration::from_secs(30);

/// From here on a body is a large one, of which few are held at once.
const LARGE: usize = 64 * 1024;

/// A client that still sends what nobody wants is listened to so long, since it reads no answer before
/// it has sent all.
const DRAINING: Duration = Duration::from_secs(2);

/// A body in whole, and the right to hold it if it is large.
pub(super) struct Whole<'s> {
    pub(super) bytes: Vec<u8>,
    /// Given back when the body is.
    #[allow(dead_code)]
    large: Option<SemaphorePermit<'s>>,
}

/// Why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// It is longer than it may be.
    TooLarge,
    /// The client took too long.
    TooSlow,
    /// The connection broke, or the framing is wrong.
    Lost,
}

/// Reads a body of no more than `limit` bytes.
pub(super) async fn read(body: Body, limit: usize, large: &Semaphore) -> Result<Whole<'_>, Broken> {
    let mut stream = body.into_data_stream();
    let whole = timeout(SENDING, collect(&mut stream, limit, large)).await;
    let whole = whole.unwrap_or(Err(Broken::TooSlow));
    if let Err(Broken::TooLarge) = whole {
        // Whether all of it came or the time is over is the same.
        let _ = timeout(DRAINING, async {
            while let Some(Ok(_)) = next(&mut stream).await {}
        })
        .await;
    }
    whole
}

async fn collect<'s>(
    stream: &mut BodyDataStream,
    limit: usize,
    large: &'s Semaphore,
) -> Result<Whole<'s>, Broken> {
    let mut whole = Whole {
        bytes: Vec::new(),
        large: None,
    };
    let mut is_large = false;
    while let Some(piece) = next(stream).await {
        let piece = piece.map_err(|_| Broken::Lost)?;
        if whole.bytes.len() + piece.len() > limit {
            return Err(Broken::TooLarge);
        }
        whole.bytes.extend_from_slice(&piece);
        if !is_large && whole.bytes.len() > LARGE {
            is_large = true;
            whole.large = large.acquire().await.ok();
        }
    }
    Ok(whole)
}

async fn next(stream: &mut BodyDataStream) -> Option<Result<Bytes, axum::Error>> {
    std::future::poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}
