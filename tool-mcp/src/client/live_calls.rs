//! Calls that wait while people answer questions of servers before protocol 2026-07-28. The request stays on its way, so a call lives as
//! long as its connection.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;
use toolwright_provider::call::ToolError;
use toolwright_runtime::executor::PausedCall;
use toolwright_runtime::tool::Context;

use super::connection::{PendingRequest, ServerQuestion};
use super::link::Reconnector;
use super::paused_input::PausedInput;
use super::session::McpSession;

/// Most calls that wait at once. Beyond this, the oldest are cancelled.
const MOST: usize = 128;

/// A request on its way.
pub(super) struct LiveCall {
    pub(super) session: McpSession,
    pub(super) pending: PendingRequest,
    /// Takes the next question of a call that can wait for the answer.
    pub(super) question: Option<oneshot::Receiver<ServerQuestion>>,
}

/// Calls that wait, by an id that is stored with the session of the caller.
#[derive(Default)]
pub(super) struct LiveCalls {
    calls: Mutex<VecDeque<(String, LiveCall, oneshot::Sender<Value>)>>,
    /// Number of calls that have waited.
    count: AtomicU64,
    /// Makes ids differ from those of other processes.
    salt: RandomState,
}

impl LiveCalls {
    fn insert(&self, call: LiveCall, answer: oneshot::Sender<Value>) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let id = format!("{count}-{:016x}", self.salt.hash_one(count));
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut kept, lost): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut *calls)
            .into_iter()
            .partition(|(_, call, _)| !call.pending.is_lost());
        kept.push_back((id.clone(), call, answer));
        let oldest = (kept.len() > MOST).then(|| kept.pop_front());
        *calls = kept;
        drop(calls);
        // Cancelled behind the lock.
        drop((lost, oldest));
        id
    }

    /// Gives the answer to the question of this call, which goes on in the context of the caller. `None` if its connection is gone.
    pub(super) fn answer(&self, id: &str, answer: Value, cx: &Context) -> Option<LiveCall> {
        let (_, mut call, asked) = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let at = calls.iter().position(|(one, ..)| one == id)?;
            calls.remove(at)?
        };
        if call.pending.is_lost() {
            return None;
        }
        call.question = Some(call.pending.next_question(cx));
        // The server may have withdrawn the question.
        let _ = asked.send(answer);
        Some(call)
    }
}

impl Reconnector {
    /// Lets the call wait for the answer to a question. Returns the error that ends this attempt.
    pub(super) fn pause(
        &self,
        call: LiveCall,
        asked: ServerQuestion,
        pause: &PausedCall,
    ) -> ToolError {
        let server = call.session.connection.server_name();
        let id = self.live_calls.insert(call, asked.answer);
        PausedInput::live(server, asked.params, id).ask(pause)
    }
}
