//! A call that runs away from the task of its batch: in a task or on a thread of its own.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll};

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::body::{Answered, answer};
use super::span::CallSpan;
use crate::contain::{contained, not_started};
use crate::{Call, Context, ErrorKind, Store, Tool, ToolCall, ToolError};

/// The call, and all that it needs.
pub(super) struct Moved {
    pub(super) tool: Arc<dyn Tool>,
    pub(super) call: ToolCall,
    pub(super) cx: Context,
    pub(super) index: usize,
    pub(super) store: Arc<Store>,
    pub(super) span: CallSpan,
}

impl Moved {
    async fn run(mut self) -> Answered {
        let span = std::mem::take(&mut self.span);
        let inside = async {
            let call = Call::of(&self.call, &self.store, &self.cx).at(self.index);
            answer(&*self.tool, call).await
        };
        span.around(inside).await
    }

    /// On a thread that may be blocked.
    fn block(self, runtime: Option<&Handle>) -> Answered {
        match runtime {
            Some(runtime) => runtime.block_on(self.run()),
            None => crate::contain::wait(self.run()).flatten(),
        }
    }
}

/// The answer of a call that runs elsewhere.
pub(super) enum Elsewhere {
    Task(JoinHandle<Answered>),
    Thread(oneshot::Receiver<Answered>),
    NotStarted(Option<ToolError>),
}

impl Elsewhere {
    /// Inside a runtime a task, on a thread that may be blocked where it `blocks`; else a thread.
    pub(super) fn start(moved: Moved, blocks: bool) -> Self {
        match Handle::try_current() {
            Ok(runtime) if blocks => Self::blocking(&runtime, moved),
            Ok(runtime) => Self::Task(runtime.spawn(moved.run())),
            Err(_) => Self::thread(moved),
        }
    }

    /// Where the system has no thread left, tokio panics, and yet keeps the work for the next one. So it
    /// is taken back before anybody is told that it did not begin.
    fn blocking(runtime: &Handle, moved: Moved) -> Self {
        let moved = Arc::new(Mutex::new(Some(moved)));
        let take = |moved: &Mutex<Option<Moved>>| {
            let mut moved = moved.lock().unwrap_or_else(PoisonError::into_inner);
            moved.take()
        };
        let (inside, taken) = (runtime.clone(), Arc::clone(&moved));
        let run = move || match take(&taken) {
            Some(moved) => moved.block(Some(&inside)),
            None => Err(ended()),
        };
        match contained(|| runtime.spawn_blocking(run)) {
            Ok(task) => Self::Task(task),
            Err(error) => {
                drop(take(&moved));
                Self::NotStarted(Some(not_started(error)))
            }
        }
    }

    fn thread(moved: Moved) -> Self {
        let (answered, answer) = oneshot::channel();
        let run = move || {
            // Nobody may be waiting any more.
            let _ = answered.send(moved.block(None));
        };
        match std::thread::Builder::new().spawn(run) {
            Ok(_) => Self::Thread(answer),
            Err(error) => Self::NotStarted(Some(not_started(error))),
        }
    }
}

impl Future for Elsewhere {
    type Output = Answered;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Answered> {
        match &mut *self {
            Self::Task(handle) => pin!(handle)
                .poll(task)
                .map(|done| done.unwrap_or_else(|_| Err(ended()))),
            Self::Thread(answer) => pin!(answer)
                .poll(task)
                .map(|done| done.unwrap_or_else(|_| Err(ended()))),
            Self::NotStarted(error) => Poll::Ready(Err(error.take().unwrap_or_else(ended))),
        }
    }
}

/// A task is aborted when nobody waits for it. A thread cannot be: it runs on, and is not heard.
impl Drop for Elsewhere {
    fn drop(&mut self) {
        if let Self::Task(handle) = self {
            handle.abort();
        }
    }
}

#[cold]
fn ended() -> ToolError {
    ToolError::new(
        ErrorKind::Cancelled,
        "the call was cancelled: the program is ending",
    )
}
