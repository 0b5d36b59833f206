use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::BoxFuture;
use toolwright_schema::text::ShortStr;

/// Lets no more calls of a tool run at once, in all batches of the executor and its clones; the others
/// wait their turn, first come, first served.
///
/// A tool that calls itself through the same executor can wait for its own seat for ever.
///
/// ```
/// use toolwright::layers::ConcurrencyLimit;
/// use toolwright::{Executor, Toolset};
///
/// let executor = Executor::parallel(&Toolset::default(), 8)
///     .layer(ConcurrencyLimit::of("search", 2))
///     .layer(ConcurrencyLimit::each(4));
/// ```
#[derive(Debug)]
pub struct ConcurrencyLimit {
    of: Option<ShortStr>,
    seats: usize,
    taken: Mutex<HashMap<ShortStr, Arc<Semaphore>>>,
}

impl ConcurrencyLimit {
    /// So many calls of this tool.
    ///
    /// # Panics
    /// When it is 0.
    #[track_caller]
    pub fn of(tool: impl Into<ShortStr>, at_once: usize) -> Self {
        Self::new(Some(tool.into()), at_once)
    }

    /// So many calls of each tool.
    ///
    /// # Panics
    /// When it is 0.
    #[track_caller]
    pub fn each(at_once: usize) -> Self {
        Self::new(None, at_once)
    }

    #[track_caller]
    fn new(of: Option<ShortStr>, at_once: usize) -> Self {
        assert!(at_once > 0, "a tool of which 0 calls may run never runs");
        Self {
            of,
            seats: at_once.min(Semaphore::MAX_PERMITS),
            taken: Mutex::default(),
        }
    }

    fn seats(&self, tool: &ShortStr) -> Arc<Semaphore> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let seats = taken
            .entry(tool.clone())
            .or_insert_with(|| Arc::new(Semaphore::new(self.seats)));
        Arc::clone(seats)
    }
}

impl Layer for ConcurrencyLimit {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let tool = &request.call().name;
            if self.of.as_ref().is_some_and(|of| of != tool) {
                return next.run(request).await;
            }
            let seats = self.seats(tool);
            // They are never closed.
            let _seat = seats.acquire().await;
            next.run(request).await
        })
    }
}
