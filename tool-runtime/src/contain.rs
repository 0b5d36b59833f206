//! A tool's panic ends its call and nothing else.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::thread::{self, ScopedJoinHandle};

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

/// Waits for an answer on this thread, whatever else uses it.
///
/// Inside a runtime a thread of its own drives the answer: a runtime refuses to be blocked by
/// another one, and may keep the waker of what is polled on its threads until it gets them back.
pub(crate) fn wait(answer: Contained<'_>) -> Result<Outcome, ToolError> {
    if is_outside_of_runtimes() {
        return drive(answer);
    }
    thread::scope(|scope| {
        let driver = thread::Builder::new().spawn_scoped(scope, || drive(answer));
        match driver.map(ScopedJoinHandle::join) {
            Ok(answer) => answer.unwrap_or_else(|payload| Err(panicked(payload))),
            Err(error) => Err(not_started(error)),
        }
    })
}

#[cold]
fn not_started(error: std::io::Error) -> ToolError {
    ToolError::new(ErrorKind::Failed, "the tool could not be started").with_source(error)
}

#[cfg(feature = "tokio")]
fn is_outside_of_runtimes() -> bool {
    tokio::runtime::Handle::try_current().is_err()
}

/// Without tokio nothing here knows whose this thread is.
#[cfg(not(feature = "tokio"))]
fn is_outside_of_runtimes() -> bool {
    false
}

#[cfg(feature = "tokio")]
fn drive(answer: Contained<'_>) -> Result<Outcome, ToolError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(answer),
        Err(error) => Err(not_started(error)),
    }
}

#[cfg(not(feature = "tokio"))]
fn drive(answer: Contained<'_>) -> Result<Outcome, ToolError> {
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
    let mut answer = std::pin::pin!(answer);
    loop {
        match answer.as_mut().poll(&mut cx) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}
