//! Signals that end the process.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use toolwright_runtime::tool::Cancel;

use crate::cli::Exit;

/// Ctrl-C and the termination signal of supervisors.
pub(crate) struct Signals {
    #[cfg(unix)]
    terminate: Option<Signal>,
    #[cfg(unix)]
    interrupt: Option<Signal>,
}

impl Signals {
    /// Installs the handlers. From here on, a signal does not end the process. Requires a tokio runtime.
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate()).ok(),
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt()).ok(),
        }
    }

    /// Waits for the next signal, or forever if there are no handlers.
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

/// Cancels `stop` at the first signal and ends the process at the second, since a tool may ignore the cancellation.
pub(crate) async fn cancel_on_signal(mut signals: Signals, stop: Cancel) {
    signals.next().await;
    stop.cancel();
    signals.next().await;
    std::process::exit(i32::from(Exit::Cancelled as u8));
}
