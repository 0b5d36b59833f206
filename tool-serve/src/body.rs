//! A request's body, as far as it may go.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use http_body::Body;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// From here on a body is a large one, which takes room.
const LARGE: usize = 64 * 1024;

/// How many bytes of large bodies a server holds at once, each until its request is answered. Who finds no room is told
/// so at once: to wait for calls of others would take as long as these like.
const ROOM: usize = 256 * 1024 * 1024;

/// Room for large bodies.
pub(crate) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(ROOM)))
    }
}

/// A client that still sends what nobody wants is listened to so long, since it reads no answer before
/// it has sent all.
const DRAINING: Duration = Duration::from_secs(2);

/// A body in whole.
pub(crate) struct Whole {
    pub(crate) bytes: Vec<u8>,
    /// The right to hold it, or what is made of it, if it is large.
    pub(crate) held: Held,
}

pub(crate) type Held = Option<OwnedSemaphorePermit>;

/// Why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// It is longer than it may be.
    TooLarge,
    /// The client took too long.
    TooSlow,
    /// Others hold too much.
    NoRoom,
    /// The connection broke, or the framing is wrong.
    Lost,
}

/// Reads a body of no more than `limit` bytes, for which its client has `time`.
pub(crate) async fn read<B: Body>(
    body: B,
    limit: usize,
    time: Duration,
    room: &Room,
) -> Result<Whole, Broken> {
    let mut body = pin!(body);
    // What its head tells is not waited for.
    let whole = if body.size_hint().lower() > limit as u64 {
        Err(Broken::TooLarge)
    } else {
        let whole = timeout(time, collect(body.as_mut(), limit, room)).await;
        whole.unwrap_or(Err(Broken::TooSlow))
    };
    if let Err(Broken::TooLarge | Broken::NoRoom) = whole {
        // Whether all of it came or the time is over is the same.
        let _ = timeout(DRAINING, async {
            while let Some(Ok(_)) = body.frame().await {}
        })
        .await;
    }
    whole
}

async fn collect<B: Body>(
    mut body: Pin<&mut B>,
    limit: usize,
    Room(room): &Room,
) -> Result<Whole, Broken> {
    // As much as its head tells, if that is not much: nothing of it is there yet.
    let told = body.size_hint().lower().min(LARGE as u64);
    let mut whole = Whole {
        bytes: Vec::with_capacity(usize::try_from(told).unwrap_or(0)),
        held: None,
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
        let held = whole
            .held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        if whole.bytes.len() > LARGE.max(held) {
            // What it has arrived with, and not what its head tells: to tell costs nothing.
            let more = u32::try_from(whole.bytes.len() - held).unwrap_or(u32::MAX);
            let more = Arc::clone(room).try_acquire_many_owned(more);
            let more = more.map_err(|_| Broken::NoRoom)?;
            match &mut whole.held {
                Some(held) => held.merge(more),
                None => whole.held = Some(more),
            }
        }
    }
    Ok(whole)
}
