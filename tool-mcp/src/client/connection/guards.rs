//! What a connection does when a request, ours or the server's, is dropped.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;
use toolwright_json::ObjectWriter;
use toolwright_runtime::tool::{Cancel, Context};

use super::{Connection, ServerQuestion};
use crate::client::answer::Answered;
use crate::client::in_flight::InFlight;
use crate::client::task::withdraw_task;
use crate::protocol::Id;

/// Time for which the answer to a cancelled call is awaited.
const LATE: Duration = Duration::from_secs(10);

/// A request that waits for its answer. Dropping it cancels the request.
pub(in crate::client) struct PendingRequest {
    pub(super) connection: Weak<Connection>,
    /// `None` once it is settled.
    pub(super) id: Option<u64>,
    /// The protocol forbids to cancel a greeting.
    pub(super) is_greeting: bool,
    pub(in crate::client) way: Arc<InFlight>,
    pub(super) answered: oneshot::Receiver<Answered>,
    pub(in crate::client) alive: Arc<Notify>,
    pub(in crate::client) reason: &'static str,
}

impl PendingRequest {
    /// Waits for what comes of it. `None` if the connection ends first.
    pub(in crate::client) async fn answer(&mut self) -> Option<Answered> {
        let answered = (&mut self.answered).await;
        self.id = None;
        answered.ok()
    }

    /// Returns true if no answer has come, and none can come.
    pub(in crate::client) fn is_lost(&self) -> bool {
        let connection = self.connection.upgrade();
        connection.is_none_or(|connection| connection.is_closed()) && self.answered.is_empty()
    }

    /// Takes the next question during this call, which waited and goes on in this context.
    pub(in crate::client) fn next_question(
        &self,
        cx: &Context,
    ) -> oneshot::Receiver<ServerQuestion> {
        let (question, asked) = oneshot::channel();
        let (Some(id), Some(connection)) = (self.id, self.connection.upgrade()) else {
            return asked;
        };
        let context = connection.waiting().get_mut(&id).and_then(|waiting| {
            waiting.question = Some(question);
            waiting.context.replace(cx.clone())
        });
        // A context is the host's, and is dropped behind the lock.
        drop(context);
        asked
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let (Some(id), Some(connection)) = (self.id, self.connection.upgrade()) else {
            return;
        };
        let is_withdrawn = self.way.withdraw();
        self.way.gone.cancel();
        if is_withdrawn || self.is_greeting {
            connection.forget(id);
            return;
        }
        let params = ObjectWriter::new()
            .json("requestId", &id.to_string())
            .text("reason", self.reason);
        drop(connection.notify("notifications/cancelled", &params.end()));
        let (true, Ok(runtime)) = (self.way.may_be_task, Handle::try_current()) else {
            connection.forget(id);
            return;
        };
        // The answer may be on its way, with the id of a task.
        let context = {
            let mut waiting = connection.waiting();
            waiting
                .get_mut(&id)
                .and_then(|waiting| waiting.context.take())
        };
        drop(context);
        let answered = std::mem::replace(&mut self.answered, oneshot::channel().1);
        runtime.spawn(async move {
            let late = timeout(LATE, answered).await;
            connection.forget(id);
            if let Ok(Ok(Answered::Result(result))) = late {
                withdraw_task(connection, &result);
            }
        });
    }
}

/// A request of the server's whose answer is on its way, until this is dropped.
pub(in crate::client) struct ServerRequest {
    pub(super) connection: Weak<Connection>,
    /// Number of the session in which it was sent, and its id there.
    pub(in crate::client) key: (u64, Id),
    pub(super) stop: Cancel,
}

impl Drop for ServerRequest {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.upgrade()
            && !self.stop.is_cancelled()
        {
            connection.asked().remove(&self.key);
        }
    }
}

/// Somebody is being asked for as long as it lives.
pub(in crate::client) struct PauseGuard<'a>(pub(super) &'a Connection);

impl PauseGuard<'_> {
    /// The time in which a person answers is not the server's.
    fn ends(&self) {
        for waiting in self.0.waiting().values() {
            waiting.alive.notify_one();
        }
    }
}

impl Drop for PauseGuard<'_> {
    fn drop(&mut self) {
        self.ends();
        self.0.asking.end();
    }
}
