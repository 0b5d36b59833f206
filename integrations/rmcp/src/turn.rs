//! Order of calls that arrive one by one, as an executor orders the calls of a batch.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::sleep;
use toolwright::call::Cancel;

/// Number of calls that run at once, at most. A call of an `exclusive` tool takes the place of all.
const PLACES: u32 = 1 << 20;

/// Lets calls of `exclusive` tools run alone. Clones share their state.
#[derive(Debug, Clone)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(PLACES as usize)))
    }
}

impl Turns {
    /// Waits until a call may run, which it may until the permit is dropped. `None` if the call is cancelled meanwhile.
    ///
    /// # Errors
    /// Returns the time limit of the call if that expires first: an exclusive tool that calls its own server would wait
    /// for itself.
    pub(crate) async fn wait(
        &self,
        is_exclusive: bool,
        limit: Option<Duration>,
        stop: &Cancel,
    ) -> Result<Option<SemaphorePermit<'_>>, Duration> {
        let places = if is_exclusive { PLACES } else { 1 };
        let late = async {
            match limit {
                Some(limit) => {
                    sleep(limit).await;
                    limit
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            // Nobody closes the semaphore.
            permit = self.0.acquire_many(places) => Ok(permit.ok()),
            () = stop.cancelled() => Ok(None),
            waited = late => Err(waited),
        }
    }
}
