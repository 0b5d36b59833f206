//! Waiting for what happens, however long a store takes.
// One program needs more of it than another.
#![allow(dead_code)]

use std::future::Future;
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::Context;
use toolwright::agent::{Agent, AgentError, CheckpointError, Run, Session};

/// Runs a future until somebody gives the signal, and drops it then, as the end of its program would.
pub(crate) async fn dropped_at<T>(signal: &Notify, future: impl Future<Output = T>) {
    tokio::select! {
        biased;
        _ = future => panic!("it came to its end"),
        () = signal.notified() => {}
    }
}

/// Waits until this holds.
pub(crate) async fn until(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..20_000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    panic!("it never holds");
}

/// Goes on with the session of a run that was dropped, by another agent. The run gives its lease back in a task of its own, and
/// until then the other agent is refused, which changes nothing.
pub(crate) async fn resumed(agent: &Agent, id: &str) -> Result<(Session, Run), AgentError> {
    for _ in 0..5_000 {
        match agent.resume(id, &Context::new()).await {
            Err(AgentError::Checkpoint(CheckpointError::Held { .. })) => {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            resumed => return resumed,
        }
    }
    panic!("a lease is held whose run was dropped");
}
