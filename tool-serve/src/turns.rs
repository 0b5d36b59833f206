//! Calls of tools that are `exclusive` run alone, however they came.

use std::sync::Arc;

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use toolwright_runtime::{Cancel, Registry};

/// What all calls of a server have in common. Clones are one.
#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<RwLock<()>>);

/// Where a call's tool has its turn.
#[expect(dead_code, reason = "held, not read")]
pub(crate) enum Turn<'s> {
    Shared(RwLockReadGuard<'s, ()>),
    Alone(RwLockWriteGuard<'s, ()>),
}

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
        let turn = async {
            if is_exclusive {
                Turn::Alone(self.0.write().await)
            } else {
                Turn::Shared(self.0.read().await)
            }
        };
        tokio::select! {
            biased;
            turn = turn => Some(turn),
            () = stop.cancelled() => None,
        }
    }
}
