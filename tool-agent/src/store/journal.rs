//! Records of calls while they run, so that a session can continue after a crash.
//!
//! `layer` writes a record before and after each call, and the stored form of a result is a `StoredOutcome`. Without the
//! first record, a call that had begun would run twice; without the second, its result would be lost.

mod layer;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use toolwright_provider::call::{Bytes, ToolCall};
use toolwright_runtime::tool::Context;

pub(crate) use self::layer::{Journal, unknown};
use crate::session::Node;
use crate::store::{CheckpointId, Lease, NewCheckpoint, Written};

/// A checkpoint that is not in the store.
pub(crate) struct Unsaved {
    pub(crate) session: String,
    pub(crate) after: Option<CheckpointId>,
    pub(crate) parent: Option<CheckpointId>,
    pub(crate) written: Written,
    pub(crate) next: Node,
    pub(crate) at_ms: u64,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) caller: Option<Arc<str>>,
    pub(crate) lease: Lease,
    pub(crate) body: String,
}

impl Unsaved {
    pub(crate) fn checkpoint(&self) -> NewCheckpoint<'_> {
        NewCheckpoint {
            session: &self.session,
            after: self.after,
            parent: self.parent,
            written: self.written,
            next: self.next,
            at_ms: self.at_ms,
            metadata: &self.metadata,
            caller: self.caller.as_deref(),
            lease: self.lease,
            body: &self.body,
        }
    }
}

/// Record of a call in a [`Checkpointer`](crate::store::Checkpointer). `Debug` shows the lengths of arguments.
#[derive(Clone, PartialEq)]
pub struct CallRecord {
    /// Idempotency key of the call's first attempt: run, turn, place in the turn, call id.
    pub key: String,
    /// The call as it ran, with repaired or rewritten arguments.
    pub call: ToolCall,
    /// Arguments of the model, if the call ran with others: repaired, rewritten by a layer, or edited by a person.
    pub model_arguments: Option<String>,
    /// Revision, incremented with each change: when the record is replaced, and when the call ends.
    pub revision: u64,
    /// Newest checkpoint of the session when the call began.
    pub after: CheckpointId,
    /// Outcome as the JSON of a [`StoredOutcome`](toolwright_provider::call::StoredOutcome). `None` while the call runs, or if the outcome is unknown.
    pub outcome: Option<String>,
}

impl fmt::Debug for CallRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRecord")
            .field("key", &self.key)
            .field("call", &self.call)
            .field(
                "model_arguments",
                &self.model_arguments.as_deref().map(Bytes),
            )
            .field("revision", &self.revision)
            .field("after", &self.after)
            .field("outcome", &self.outcome)
            .finish()
    }
}

/// Returns how long ago an earlier run made this call, at most; `None` if this run is the first to make it.
///
/// For tools that [resume](toolwright_runtime::tool::Tool::resumes) and whose record of a call may be gone after a time: a call
/// that is older may have taken effect, although nothing is known of it. [`Duration::MAX`] if the time is not known any more.
///
/// Returns `None` also outside of an agent with a checkpointer.
pub fn made_before(cx: &Context) -> Option<Duration> {
    cx.get::<Journal>()?
        .made_before(&cx.call_place()?.first_key())
}

/// A call that is about to run. `Debug` shows the lengths of arguments.
#[derive(Clone, Copy)]
pub struct Begin<'a> {
    /// The session's id.
    pub session: &'a str,
    /// Newest checkpoint of the session, as far as the caller knows.
    pub after: CheckpointId,
    /// The call's idempotency key.
    pub key: &'a str,
    /// The call.
    pub call: &'a ToolCall,
    /// Arguments of the model, if the call runs with others.
    pub model_arguments: Option<&'a str>,
    /// Revision of the record to replace. `None` if there must be none.
    pub replaces: Option<u64>,
    /// Lease of the run, if it has one: see [`Lease`](crate::store::Lease).
    pub lease: Option<CheckpointId>,
}

impl fmt::Debug for Begin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Begin")
            .field("session", &self.session)
            .field("after", &self.after)
            .field("key", &self.key)
            .field("call", &self.call)
            .field("model_arguments", &self.model_arguments.map(Bytes))
            .field("replaces", &self.replaces)
            .field("lease", &self.lease)
            .finish()
    }
}

impl Begin<'_> {
    /// Creates the record of the call.
    pub fn record(&self, revision: u64) -> CallRecord {
        CallRecord {
            key: self.key.to_owned(),
            call: self.call.clone(),
            model_arguments: self.model_arguments.map(str::to_owned),
            revision,
            after: self.after,
            outcome: None,
        }
    }
}

/// The end of a call.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// The session's id.
    pub session: &'a str,
    /// The call's idempotency key.
    pub key: &'a str,
    /// Revision of the call's record, as its beginning returned it.
    pub revision: u64,
    /// Outcome as the JSON of a [`StoredOutcome`](toolwright_provider::call::StoredOutcome).
    pub outcome: &'a str,
    /// Lease of the run. `None` if the run has none, and for a call that stays open after its run.
    pub lease: Option<CheckpointId>,
}

/// Result of recording that a call begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// The call is recorded, and may run. Holds the record's revision.
    Recorded(u64),
    /// Another record of the call exists.
    Standing(CallRecord),
}
