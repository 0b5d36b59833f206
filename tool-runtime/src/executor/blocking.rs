//! Limit on the bodies of `blocking` tools in flight.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::deadline::Timer;
use toolwright_provider::call::{ErrorKind, ToolError};

/// Half of the blocking threads of a tokio runtime; the other half stays free for the host.
const DEFAULT_LIMIT: usize = 256;

/// Longest wait for a permit. If no body ends in that time, the call is refused.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Limit on bodies of `blocking` tools in flight, in all executors that share it.
///
/// A body that never returns keeps its thread, even after its call was answered. Without a limit, such bodies would use
/// up the runtime's threads for blocking code. A call waits at most a second for a permit. Then it is answered with
/// [`NotStarted`](ErrorKind::NotStarted), and may be made again.
///
/// By default all executors of the process share one limit of 256. A tokio runtime has 512 such threads by default.
///
/// ```
/// use toolwright::{Executor, Toolset, executor::BlockingLimit};
///
/// let limit = BlockingLimit::new(16);
/// let tenant = |tools: &Toolset| Executor::parallel(tools, 8).blocking_limit(&limit);
/// ```
#[derive(Clone)]
pub struct BlockingLimit {
    places: Arc<Semaphore>,
    most: usize,
}

/// Permit to run a body, held until it has ended.
pub(super) type Permit = OwnedSemaphorePermit;

impl BlockingLimit {
    /// Makes a separate limit. With 0 no such body runs.
    pub fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(most)),
            most,
        }
    }

    /// Returns the limit that the process shares: the default.
    pub fn process() -> Self {
        static SHARED: LazyLock<BlockingLimit> =
            LazyLock::new(|| BlockingLimit::new(DEFAULT_LIMIT));
        SHARED.clone()
    }

    /// Returns the number of bodies in flight, including those whose calls were answered without them.
    pub fn running(&self) -> usize {
        self.most - self.places.available_permits()
    }

    /// Waits for a permit. Returns it with the time from which the call's own time limit counts.
    pub(super) async fn place(&self, began: Instant) -> Result<(Permit, Instant), ToolError> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => Ok((place, began)),
            // Boxed: few calls wait here, and all of them would carry the future.
            Err(_) => Box::pin(self.wait()).await,
        }
    }

    async fn wait(&self) -> Result<(Permit, Instant), ToolError> {
        let mut free = pin!(Arc::clone(&self.places).acquire_owned());
        let mut patience = Timer::at(Instant::now().checked_add(MAX_WAIT));
        let place = poll_fn(|task| match free.as_mut().poll(task) {
            Poll::Ready(place) => Poll::Ready(place.ok()),
            Poll::Pending if patience.runs() => patience.poll(task).map(|()| None),
            // Without a clock the wait could be endless.
            Poll::Pending => Poll::Ready(None),
        });
        match place.await {
            Some(place) => Ok((place, Instant::now())),
            None => Err(self.full()),
        }
    }

    #[cold]
    fn full(&self) -> ToolError {
        let words =
            "the call did not start: too many calls that block are running; try again later";
        let detail = format!("{} of {} bodies are running", self.running(), self.most);
        ToolError::new(ErrorKind::NotStarted, words).with_debug(detail)
    }
}

impl fmt::Debug for BlockingLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingLimit")
            .field("most", &self.most)
            .field("running", &self.running())
            .finish_non_exhaustive()
    }
}
