//! Calls of tools that are `exclusive` run alone, however they came.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use toolwright_runtime::{Cancel, Registry};

/// What all calls of a server have in common. Clones are one.
///
/// A call that wants to be alone waits until nothing runs; others wait for one that is alone, and not
/// for one that waits. So a call that makes another of its own server is not stopped by a third, and
/// under calls without end an exclusive one has to wait.
#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<Inner>);

#[derive(Default)]
struct Inner {
    running: Mutex<Running>,
    /// Told when nothing runs any more.
    free: Notify,
}

#[derive(Default)]
struct Running {
    count: usize,
    is_alone: bool,
}

/// A call's turn, until it is dropped.
pub(crate) struct Turn<'t>(&'t Inner);

impl Turns {
    /// Waits until a call of this tool may run; `None` where it is told to end before that.
    pub(crate) async fn take(
        &self,
        tools: &Registry,
        name: &str,
        stop: &Cancel,
    ) -> Option<Turn<'_>> {
        let tool = tools.get(name);
        let is_exclusive = tool.is_some_and(|tool| tool.def().exclusive);
        loop {
            let free = self.0.free.notified();
            tokio::pin!(free);
            // Before the look, so that no end in between is missed.
            free.as_mut().enable();
            if self.0.running().begin(is_exclusive) {
                return Some(Turn(&self.0));
            }
            tokio::select! {
                () = free => {}
                () = stop.cancelled() => return None,
            }
        }
    }
}

impl Inner {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn begin(&mut self, is_exclusive: bool) -> bool {
        if self.is_alone || (is_exclusive && self.count > 0) {
            return false;
        }
        self.is_alone = is_exclusive;
        self.count += 1;
        true
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut running = self.0.running();
        running.count -= 1;
        if running.count == 0 {
            running.is_alone = false;
            drop(running);
            self.0.free.notify_waiters();
        }
    }
}
