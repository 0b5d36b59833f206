//! How many bodies of `blocking` tools run at once.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::clock::Timer;
use toolwright_provider::call::{ErrorKind, ToolError};

/// Half of the threads that tokio's runtimes have for what blocks: the other half is for the host's own.
const PROCESS: usize = 256;

/// How long a call waits for a place. Bodies that end soon make room for one another, and where none ends the call is
/// told so.
const PATIENCE: Duration = Duration::from_secs(1);

/// The number of bodies of `blocking` tools that may run at once, in all executors that share it.
///
/// A body that never returns keeps its thread, however its call was answered. Without a bound such bodies take all the
/// threads that a runtime has, and then nothing else that blocks runs there any more. A call that finds no place waits
/// for one for a second at most. Then it is answered with [`NotStarted`](ErrorKind::NotStarted): nothing of it ran, and
/// it may be made again.
///
/// Executors share one limit of 256 for the whole process if nothing else is said, so that one made for each call
/// shares it, too. A runtime of tokio has 512 such threads, if nothing else is said there.
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

/// The right to run a body, until it has ended.
pub(super) type Place = OwnedSemaphorePermit;

impl BlockingLimit {
    /// A limit of its own. With 0 no such body runs at all.
    pub fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(most)),
            most,
        }
    }

    /// The limit that executors have if nothing else is said.
    pub fn process() -> Self {
        static SHARED: LazyLock<BlockingLimit> = LazyLock::new(|| BlockingLimit::new(PROCESS));
        SHARED.clone()
    }

    /// How many bodies run now, those included whose calls were answered without them.
    pub fn running(&self) -> usize {
        self.most - self.places.available_permits()
    }

    /// A place for a call, and since when its time counts.
    pub(super) async fn place(&self, began: Instant) -> Result<(Place, Instant), ToolError> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => Ok((place, began)),
            // In a box, since few calls wait here and all of them would carry it.
            Err(_) => Box::pin(self.wait()).await,
        }
    }

    async fn wait(&self) -> Result<(Place, Instant), ToolError> {
        let mut free = pin!(Arc::clone(&self.places).acquire_owned());
        let mut patience = Timer::at(Instant::now().checked_add(PATIENCE));
        let place = poll_fn(|task| match free.as_mut().poll(task) {
            Poll::Ready(place) => Poll::Ready(place.ok()),
            Poll::Pending if patience.runs() => patience.poll(task).map(|()| None),
            // Without a clock nobody knows how long this would take.
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
