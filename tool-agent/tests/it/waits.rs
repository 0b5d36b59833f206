//! Waiting for what happens, however long a store takes.
// One program needs more of it than another.
#![allow(dead_code)]

use std::future::Future;
use std::time::Duration;

use tokio::sync::Notify;

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
