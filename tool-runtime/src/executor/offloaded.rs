//! A call on another thread than its batch.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::blocking::Permit;
use super::span::CallSpan;
use crate::tool::{Answered, ApprovalToken, Call, Context, Tool, not_started};
use crate::toolset::{ToolEntry, resolved};
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError, contained};
use toolwright_schema::decode::Arena;

/// A call with everything that it needs to run elsewhere.
pub(super) struct OwnedCall {
    pub(super) entry: ToolEntry,
    pub(super) call: ToolCall,
    pub(super) cx: Context,
    pub(super) index: usize,
    pub(super) is_stored: bool,
    pub(super) approval: Option<ApprovalToken>,
    pub(super) arena: Arc<Arena>,
    pub(super) span: CallSpan,
    /// Permit of a `blocking` tool, released when the body has ended.
    pub(super) _place: Option<Permit>,
}

impl OwnedCall {
    async fn run(mut self) -> Answered {
        let span = std::mem::take(&mut self.span);
        let inside = async {
            let call = self.entry.call(&self.call, &self.arena, &self.cx);
            let call = call
                .at(self.index)
                .stored(self.is_stored)
                .with_approval(self.approval);
            answer(&**self.entry.tool(), call).await
        };
        span.around(inside).await
    }

    /// Runs the call on a thread that may block.
    fn block(self, runtime: Option<&Handle>) -> Answered {
        match runtime {
            Some(runtime) => runtime.block_on(self.while_wanted()),
            None => crate::tool::wait(self.while_wanted()).flatten(),
        }
    }

    /// Runs the call until it is cancelled: a body that awaits gives its thread back then.
    async fn while_wanted(self) -> Answered {
        let cx = (self.cx).for_call(self.index, self.call.id.clone(), self.call.name.clone());
        let mut run = pin!(self.run());
        // Most bodies never await, and need no token.
        let mut stopped = None;
        poll_fn(|task| {
            if let Poll::Ready(answer) = run.as_mut().poll(task) {
                return Poll::Ready(answer);
            }
            let stopped = stopped.get_or_insert_with(|| {
                let stop = cx.cancel();
                Box::pin(async move { stop.cancelled().await })
            });
            stopped.as_mut().poll(task).map(|()| Err(cancelled()))
        })
        .await
    }
}

/// A call that runs once, on the first thread that takes it, unless it is taken back before.
#[derive(Clone)]
pub(super) struct QueuedCall(Arc<Mutex<Option<OwnedCall>>>);

impl QueuedCall {
    fn of(owned: OwnedCall) -> Self {
        Self(Arc::new(Mutex::new(Some(owned))))
    }

    fn take(&self) -> Option<OwnedCall> {
        let mut owned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owned.take()
    }
}

/// Answer of an offloaded call.
pub(super) enum Offloaded {
    Thread(oneshot::Receiver<Answered>, QueuedCall),
    NotStarted(Option<ToolError>),
}

impl Offloaded {
    /// Starts the call: on a blocking thread of the runtime, or outside of a runtime on a new thread.
    pub(super) fn start(owned: OwnedCall) -> Self {
        match Handle::try_current() {
            Ok(runtime) => {
                let inside = runtime.clone();
                Self::thread(owned, Some(inside), |run| {
                    contained(|| drop(runtime.spawn_blocking(run)))
                })
            }
            Err(_) => Self::thread(owned, None, |run| {
                std::thread::Builder::new().spawn(run).map(drop)
            }),
        }
    }

    /// Takes the call back. Returns true if it had not begun; it never does then.
    pub(super) fn take_back(&self) -> bool {
        match self {
            Self::Thread(_, work) => work.take().is_some(),
            Self::NotStarted(_) => true,
        }
    }

    /// Runs the call on the thread that `spawn` gives the work to.
    ///
    /// If the system has no thread left, tokio panics, but keeps the work for its next thread. So the work is taken
    /// back before the call is answered as not started; if a thread took it first, it did begin.
    fn thread<E>(
        owned: OwnedCall,
        runtime: Option<Handle>,
        spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> Result<(), E>,
    ) -> Self
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let (answered, answer) = oneshot::channel();
        let work = QueuedCall::of(owned);
        let taken = work.clone();
        let run = move || {
            if let Some(owned) = taken.take() {
                // The receiver may be dropped.
                let _ = answered.send(owned.block(runtime.as_ref()));
            }
        };
        if let Err(error) = spawn(Box::new(run))
            && work.take().is_some()
        {
            return Self::NotStarted(Some(not_started(error)));
        }
        Self::Thread(answer, work)
    }
}

impl Future for Offloaded {
    type Output = Answered;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Answered> {
        match &mut *self {
            Self::Thread(answer, _) => pin!(answer)
                .poll(task)
                .map(|done| done.unwrap_or_else(|_| Err(ended()))),
            Self::NotStarted(error) => Poll::Ready(Err(error.take().unwrap_or_else(ended))),
        }
    }
}

/// Takes back work that has not begun. A thread cannot be stopped: a body that never awaits runs on, and its answer is
/// lost.
impl Drop for Offloaded {
    fn drop(&mut self) {
        self.take_back();
    }
}

#[cold]
fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "the call was cancelled")
}

#[cold]
fn ended() -> ToolError {
    ToolError::new(
        ErrorKind::Cancelled,
        "the call was cancelled: the program is ending",
    )
}

/// Calls the tool; a panic is an error.
async fn answer(tool: &dyn Tool, call: Call<'_>) -> Answered {
    match contained(|| tool.call(call)) {
        Ok(answer) => resolved(answer, call).await,
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
