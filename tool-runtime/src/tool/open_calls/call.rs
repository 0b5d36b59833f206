//! An open call as it is listed and stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use toolwright_provider::call::{StoredOutcome, ToolCall};

use crate::tool::{CallPlace, Context};

/// A call whose work continues after its batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenCall {
    /// The call's [idempotency key](Context::idempotency_key), which names it here. Without a run's id it is unique in
    /// this process.
    pub key: String,
    /// The call.
    pub call: ToolCall,
    /// Id of the conversation that made the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Arc<str>>,
    /// The call's place, to make it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<CallPlace>,
    /// When it began, in milliseconds since 1970.
    pub began_ms: u64,
    /// When it ended, or its outcome was found to be unknown, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
    /// Its state.
    pub state: OpenCallState,
}

/// State of an [`OpenCall`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OpenCallState {
    /// Its work continues, here or elsewhere.
    Running,
    /// It is unknown whether it took effect. A person [ends](super::OpenCalls::end) it. Holds the error's text.
    Unknown(String),
    /// It has ended, and its result was not taken yet.
    Ended(Box<StoredOutcome>),
}

impl OpenCall {
    pub(super) fn new(call: &ToolCall, cx: &Context) -> Self {
        Self {
            key: key_of(call, cx),
            call: call.clone(),
            session: cx.session_id().map(Into::into),
            place: cx.call_place(),
            began_ms: now_ms(),
            ended_ms: None,
            state: OpenCallState::Running,
        }
    }
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// Returns the key of the call of this context.
pub(crate) fn key_of(call: &ToolCall, cx: &Context) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    cx.idempotency_key().unwrap_or_else(|| {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        format!("open {next}/{}", call.id)
    })
}
