//! How far a call has come, told to whoever waits for it.

use tokio::sync::mpsc;
use toolwright_runtime::{Context, Event, Executor, Progress};

/// What nobody has read yet; more is dropped, since the next report says more than the last.
const WAITING: usize = 64;

/// Stands in the context of a call, and hears of its progress.
struct Listener(mpsc::Sender<Progress>);

/// The same executor, whose calls tell the listener in their context.
pub(crate) fn told(executor: Executor) -> Executor {
    executor.observer(|event: &Event<'_>| {
        if let Event::Progress { cx, progress, .. } = event
            && let Some(listener) = cx.get::<Listener>()
        {
            // Full, or nobody listens any more: a report is no part of the answer.
            let _ = listener.0.try_send((*progress).clone());
        }
    })
}

/// The same context with a listener, and what it hears.
pub(crate) fn listen(cx: Context) -> (Context, mpsc::Receiver<Progress>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (cx.with(Listener(sender)), receiver)
}
