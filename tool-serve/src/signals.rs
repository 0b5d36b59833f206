//! What tells the program to end.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, and what a supervisor sends.
pub(crate) struct Signals {
    #[cfg(unix)]
    terminate: Option<Signal>,
    #[cfg(unix)]
    interrupt: Option<Signal>,
}

impl Signals {
    /// From here on a signal ends nothing by itself. Inside of a tokio runtime only.
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate()).ok(),
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt()).ok(),
        }
    }

    /// Waits for the next one; for ever where none can be heard.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) {
        async fn heard(signal: &mut Option<Signal>) {
            let is_heard = match signal {
                Some(signal) => signal.recv().await.is_some(),
                None => false,
            };
            if !is_heard {
                std::future::pending::<()>().await;
            }
        }
        tokio::select! {
            () = heard(&mut self.terminate) => {}
            () = heard(&mut self.interrupt) => {}
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
