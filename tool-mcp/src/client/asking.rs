//! The number of people who are being asked something. Time limits do not run meanwhile: a server that waits for a person is not
//! slow.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

/// See the module. What a connector makes shares one.
#[derive(Debug, Clone)]
pub(super) struct Asking(Arc<watch::Sender<usize>>);

impl Default for Asking {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl Asking {
    pub(super) fn begin(&self) {
        self.0.send_modify(|number| *number += 1);
    }

    pub(super) fn end(&self) {
        self.0
            .send_modify(|number| *number = number.saturating_sub(1));
    }

    pub(super) fn is_there(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Changes of the number.
    pub(super) fn changes(&self) -> watch::Receiver<usize> {
        self.0.subscribe()
    }

    /// `None` where it takes longer than the limit, which begins anew when somebody has been asked.
    pub(super) async fn timeout<T>(
        &self,
        limit: Duration,
        waited: impl Future<Output = T>,
    ) -> Option<T> {
        let mut waited = pin!(waited);
        let mut changes = self.changes();
        loop {
            let is_asked = *changes.borrow_and_update() > 0;
            tokio::select! {
                biased;
                done = &mut waited => return Some(done),
                Ok(()) = changes.changed() => {}
                () = sleep(limit), if !is_asked => return None,
            }
        }
    }
}
