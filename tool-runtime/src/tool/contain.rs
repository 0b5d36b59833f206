//! Contains panics: a tool's panic ends its call and nothing else.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::thread::{self, ScopedJoinHandle};

use crate::tool::BoxFuture;
use toolwright_provider::call::{ErrorKind, ToolError, contained, panicked};
use toolwright_schema::panics::{Panic, reported};

/// A result that can hold an error.
pub(crate) trait FromToolError {
    fn from_tool_error(error: ToolError) -> Self;
}

impl<T> FromToolError for Result<T, ToolError> {
    fn from_tool_error(error: ToolError) -> Self {
        Err(error)
    }
}

/// A future whose panics are errors.
pub(crate) struct Contained<'a, T>(Option<BoxFuture<'a, T>>);

impl<'a, T> Contained<'a, T> {
    pub(crate) fn new(later: BoxFuture<'a, T>) -> Self {
        Self(Some(later))
    }

    /// Drops the future; its `Drop` may panic.
    fn end(&mut self) {
        if self.0.is_some() {
            reported("what a call left behind", || self.0 = None);
        }
    }
}

impl<T: FromToolError> Future for Contained<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<T> {
        let place = &mut self.0;
        let mut answer = Poll::Pending;
        // The finished future is dropped in the same guard: a panic there replaces the answer.
        let polled = contained(|| {
            let Some(later) = place else { return false };
            answer = later.as_mut().poll(cx);
            if answer.is_ready() {
                *place = None;
            }
            true
        });
        match polled {
            Ok(true) => answer,
            Ok(false) => Poll::Ready(T::from_tool_error(ToolError::new(
                ErrorKind::Cancelled,
                "the call has ended already",
            ))),
            Err(error) => {
                self.end();
                Poll::Ready(T::from_tool_error(error))
            }
        }
    }
}

impl<T> Drop for Contained<'_, T> {
    fn drop(&mut self) {
        // The answer is no longer awaited.
        self.end();
    }
}

/// Blocks this thread until the future is done.
///
/// Inside a runtime another thread drives the future. A runtime refuses to be blocked by another one, and may keep the
/// waker of a future that is polled on its threads.
pub(crate) fn wait<T: Send>(future: impl Future<Output = T> + Send) -> Result<T, ToolError> {
    if is_outside_of_runtimes() {
        return drive(future);
    }
    thread::scope(|scope| {
        let driver = thread::Builder::new().spawn_scoped(scope, || drive(future));
        match driver.map(ScopedJoinHandle::join) {
            Ok(done) => done.unwrap_or_else(|payload| Err(panicked(Panic::of(payload)))),
            Err(error) => Err(not_started(error)),
        }
    })
}

#[cold]
pub(crate) fn not_started(error: impl Into<Box<dyn Error + Send + Sync>>) -> ToolError {
    ToolError::new(ErrorKind::NotStarted, "the tool could not be started").with_source(error)
}

#[cfg(feature = "tokio")]
fn is_outside_of_runtimes() -> bool {
    tokio::runtime::Handle::try_current().is_err()
}

/// Without tokio, the owner of this thread is unknown.
#[cfg(not(feature = "tokio"))]
fn is_outside_of_runtimes() -> bool {
    false
}

#[cfg(feature = "tokio")]
fn drive<T>(future: impl Future<Output = T>) -> Result<T, ToolError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => {
            let done = runtime.block_on(future);
            // Threads that a tool still blocks are abandoned.
            runtime.shutdown_background();
            Ok(done)
        }
        Err(error) => Err(not_started(error)),
    }
}

#[cfg(not(feature = "tokio"))]
fn drive<T>(future: impl Future<Output = T>) -> Result<T, ToolError> {
    use std::sync::Arc;
    use std::task::{Wake, Waker};

    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = TaskContext::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(done) => return Ok(done),
            Poll::Pending => thread::park(),
        }
    }
}
