//! The server's process, and its end.

use std::time::Duration;

use tokio::process::Child;
use tokio::time::timeout;
use toolwright_runtime::tool::Cancel;

use super::group::ProcessGroup;

/// A process whose input was closed has so long to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// When the process has ended, what it wrote is read for so long: a child of its own may hold the pipe.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(300);

/// A process that does not outlive this value, nor what it started in its group.
pub(super) struct Guarded {
    child: Child,
    group: Option<ProcessGroup>,
}

impl Guarded {
    pub(super) fn new(child: Child) -> Self {
        let group = ProcessGroup::of(&child);
        Self { child, group }
    }

    /// Waits for the process, or ends it when `stop` is fired. Fires `gone` behind it.
    pub(super) async fn run(mut self, stop: Cancel, gone: Cancel) {
        tokio::select! {
            _ = self.child.wait() => tokio::time::sleep(LAST_WORDS).await,
            () = stop.cancelled() => {
                // Its input is closed by who wrote to it.
                if timeout(GRACE, self.child.wait()).await.is_err() {
                    drop(self.group.take());
                    let _ = self.child.kill().await;
                }
            }
        }
        gone.cancel();
    }
}
