//! Progress reports of a running call, for the front that waits for it.

use tokio::sync::mpsc;
use toolwright_runtime::executor::{Event, Executor};
use toolwright_runtime::tool::{Context, Progress};

/// Unread reports that are kept. Further ones are dropped, since each supersedes the last.
const CAPACITY: usize = 64;

/// Sender in the context of a call.
struct ProgressSender(mpsc::Sender<Progress>);

/// Makes the executor send progress to the sender in each call's context.
pub fn with_progress(executor: Executor) -> Executor {
    executor.on_event(|event| {
        if let Event::Progress { cx, progress, .. } = event
            && let Some(sender) = cx.get::<ProgressSender>()
        {
            // A report is not part of the result, so a full or closed channel is not an error.
            let _ = sender.0.try_send((*progress).clone());
        }
    })
}

/// Adds a sender to the context, and returns its receiver.
pub fn subscribe(cx: Context) -> (Context, mpsc::Receiver<Progress>) {
    let (sender, receiver) = mpsc::channel(CAPACITY);
    (cx.__with_own(ProgressSender(sender)), receiver)
}
