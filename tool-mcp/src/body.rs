//! Reading of request bodies, limited in size, time and total memory.
//!
//! Without the shared budget, many large uploads at once could exhaust the server's memory.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use http_body::Body;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Bodies longer than this take part of the budget.
const LARGE_BODY: usize = 64 * 1024;

/// Bytes of large bodies that a server holds at once, each until its request is answered. A body over the budget is
/// refused at once, since waiting for other calls could take forever.
const BUDGET_BYTES: usize = 256 * 1024 * 1024;

/// Budget for large bodies.
pub struct BodyBudget(Arc<Semaphore>);

impl Default for BodyBudget {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(BUDGET_BYTES)))
    }
}

/// Time for a client to finish sending a refused body. Most clients read the response only after that.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// A complete body.
pub struct FullBody {
    pub bytes: Vec<u8>,
    /// Permit to hold a large body, or the call made of it.
    pub permit: BodyPermit,
}

pub type BodyPermit = Option<OwnedSemaphorePermit>;

/// Error of a body that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyError {
    /// The body is longer than the limit.
    TooLarge,
    /// The client took too long.
    TooSlow,
    /// Other requests use the budget.
    OverBudget,
    /// The connection broke, or the framing is invalid.
    Lost,
}

/// Reads a body of at most `limit` bytes within `time`.
pub async fn read<B: Body>(
    body: B,
    limit: usize,
    time: Duration,
    budget: &BodyBudget,
) -> Result<FullBody, BodyError> {
    let mut body = pin!(body);
    // A declared length above the limit is refused without waiting.
    let whole = if body.size_hint().lower() > limit as u64 {
        Err(BodyError::TooLarge)
    } else {
        let whole = timeout(time, collect(body.as_mut(), limit, budget)).await;
        whole.unwrap_or(Err(BodyError::TooSlow))
    };
    if let Err(BodyError::TooLarge | BodyError::OverBudget) = whole {
        // It does not matter if the client finished.
        let _ = timeout(DRAIN_TIMEOUT, async {
            while let Some(Ok(_)) = body.frame().await {}
        })
        .await;
    }
    whole
}

async fn collect<B: Body>(
    mut body: Pin<&mut B>,
    limit: usize,
    BodyBudget(budget): &BodyBudget,
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
            let more = Arc::clone(budget).try_acquire_many_owned(more);
            let more = more.map_err(|_| BodyError::OverBudget)?;
            match &mut whole.permit {
                Some(held) => held.merge(more),
                None => whole.permit = Some(more),
            }
        }
    }
    Ok(whole)
}
