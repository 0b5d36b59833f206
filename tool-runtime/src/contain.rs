//! A tool's panic ends its call and nothing else.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::{ErrorKind, Outcome, ToolError};

type Later<'a> = Pin<Box<dyn Future<Output = Result<Outcome, ToolError>> + Send + 'a>>;

/// Runs a part of a tool.
///
/// What a panic leaves half done is the tool's own: the runtime's state is not touched by `run`.
#[inline]
pub(crate) fn contained<T>(run: impl FnOnce() -> T) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(run)).map_err(panicked)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> ToolError {
    let detail = match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic whose payload is no text".to_owned(),
    };
    // A payload can panic in its own `Drop`; that panic's payload is let go.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    ToolError::new(
        ErrorKind::Panicked,
        "the tool failed unexpectedly; the same call may fail again",
    )
    .with_debug(detail)
}

/// Checks what a tool returned.
#[inline]
pub(crate) fn settled(outcome: Result<Outcome, ToolError>) -> Result<Outcome, ToolError> {
    if let Ok(outcome) = &outcome
        && let Some(payload) = outcome.payload()
    {
        payload.check()?;
    }
    outcome
}

/// An answer that comes later, of which a panic is an answer too.
pub(crate) struct Contained<'a>(Option<Later<'a>>);

impl<'a> Contained<'a> {
    pub(crate) fn new(later: Later<'a>) -> Self {
        Self(Some(later))
    }

    /// Drops the tool's future, whose `Drop` may panic.
    fn end(&mut self) -> Result<(), ToolError> {
        let later = self.0.take();
        contained(|| drop(later))
    }
}

impl Future for Contained<'_> {
    type Output = Result<Outcome, ToolError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let Some(later) = &mut self.0 else {
            return Poll::Ready(Err(ToolError::new(
                ErrorKind::Cancelled,
                "the call has ended already",
            )));
        };
        let answer = match contained(|| later.as_mut().poll(cx)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(answer)) => answer,
            Err(error) => Err(error),
        };
        let ended = self.end();
        Poll::Ready(answer.and_then(|outcome| ended.map(|()| outcome)))
    }
}

impl Drop for Contained<'_> {
    fn drop(&mut self) {
        // Nobody waits for the answer any more.
        let _ = self.end();
    }
}

/// Drives an answer to its end on this thread.
#[cfg(feature = "tokio")]
pub(crate) fn wait(answer: Contained<'_>) -> Result<Outcome, ToolError> {
    use tokio::runtime::{Builder, Handle};

    let run = move || match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(answer),
        Err(error) => Err(no_runtime().with_source(error)),
    };
    if Handle::try_current().is_err() {
        return run();
    }
    // A runtime refuses to be blocked from inside another, so a thread of its own waits for it.
    std::thread::scope(|scope| {
        let waiting = std::thread::Builder::new().spawn_scoped(scope, run);
        match waiting {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|payload| Err(panicked(payload))),
            Err(error) => Err(no_runtime().with_source(error)),
        }
    })
}

#[cfg(feature = "tokio")]
fn no_runtime() -> ToolError {
    ToolError::new(ErrorKind::Failed, "the tool could not be started")
}

/// Drives an answer to its end on this thread.
#[cfg(not(feature = "tokio"))]
pub(crate) fn wait(answer: Contained<'_>) -> Result<Outcome, ToolError> {
    use std::sync::Arc;
    use std::task::{Wake, Waker};
    use std::thread::{self, Thread};

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = TaskContext::from_waker(&waker);
    let mut answer = std::pin::pin!(answer);
    loop {
        match answer.as_mut().poll(&mut cx) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}
