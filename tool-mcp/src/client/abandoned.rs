//! Requests whose answer nobody waits for.

use std::sync::Arc;

use rmcp::model::{CancelledNotification, CancelledNotificationParam, RequestId};
use rmcp::service::{Peer, RequestHandle, RoleClient};
use tokio::runtime::Handle;

use super::slot::Slot;

/// Tells the server, and `rmcp`, about a request for which nobody waits any more, when it is dropped.
pub(super) struct Abandoned {
    peer: Peer<RoleClient>,
    runtime: Handle,
    slot: Arc<Slot>,
    id: Option<RequestId>,
    pub(super) reason: &'static str,
}

impl Abandoned {
    pub(super) fn new(
        handle: &RequestHandle<RoleClient>,
        slot: &Arc<Slot>,
        runtime: &Handle,
    ) -> Self {
        Self {
            peer: handle.peer.clone(),
            runtime: runtime.clone(),
            slot: Arc::clone(slot),
            id: Some(handle.id.clone()),
            reason: "nobody waits for the answer any more",
        }
    }

    /// There is an answer, or nobody who could give one.
    pub(super) fn disarm(&mut self) {
        self.id = None;
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else {
            return;
        };
        self.slot.withdraw();
        let params = CancelledNotificationParam::new(Some(id), Some(self.reason.to_owned()));
        let peer = self.peer.clone();
        self.runtime.spawn(async move {
            let cancelled = CancelledNotification::new(params);
            // Where the connection is gone, so is the call.
            let _ = peer.send_notification(cancelled.into()).await;
        });
    }
}
