//! The server's process, and its end.

use std::time::Duration;

use tokio::process::Child;
use tokio::time::timeout;
use toolwright_runtime::Cancel;

/// A process whose input was closed has so long to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// When the process has ended, what it wrote is read for so long: a child of its own may hold the pipe.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(300);

/// A process that does not outlive this value, nor what it started in its process group.
pub(super) struct Guarded {
    child: Child,
    group: Option<Group>,
}

impl Guarded {
    pub(super) fn new(child: Child) -> Self {
        let group = child.id().map(Group);
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

/// The id of the process that leads the group. Dropping it kills who is left of the group, also where
/// the runtime ends and drops its tasks.
struct Group(u32);

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        let leader = i32::try_from(self.0).ok();
        if let Some(leader) = leader.and_then(rustix::process::Pid::from_raw) {
            // Who is gone cannot be killed.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}
