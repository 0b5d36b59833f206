use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::BoxFuture;
use toolwright_schema::text::ShortStr;

/// Limits the calls of a tool in flight, in all batches of the executor and its clones. Other calls wait in order. A call of a
/// `background` tool is in flight until its work ends.
///
/// A tool that calls itself through the same executor may wait for its own permit forever.
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
    permits: usize,
    taken: Mutex<HashMap<ShortStr, Arc<Semaphore>>>,
}

impl ConcurrencyLimit {
    /// Limits the calls of this tool.
    ///
    /// # Panics
    /// When it is 0.
    #[track_caller]
    pub fn of(tool: impl Into<ShortStr>, at_once: usize) -> Self {
        Self::new(Some(tool.into()), at_once)
    }

    /// Limits the calls of each tool.
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
            permits: at_once.min(Semaphore::MAX_PERMITS),
            taken: Mutex::default(),
        }
    }

    fn permits(&self, tool: &ShortStr) -> Arc<Semaphore> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let permits = taken
            .entry(tool.clone())
            .or_insert_with(|| Arc::new(Semaphore::new(self.permits)));
        Arc::clone(permits)
    }
}

impl Layer for ConcurrencyLimit {
    fn is_about_work(&self) -> bool {
        true
    }

    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let tool = &request.call().name;
            if self
                .of
                .as_ref()
                .is_some_and(|of| !request.def().is_called(of))
            {
                return next.run(request).await;
            }
            let permits = self.permits(tool);
            // Semaphores are never closed here.
            let _permit = permits.acquire().await;
            next.run(request).await
        })
    }
}
