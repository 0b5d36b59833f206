//! Records of calls while they run, so that a session can go on after a crash.

mod layer;
mod stored_outcome;

use serde_json::Value;
use toolwright_runtime::ToolCall;

pub(crate) use self::layer::Journal;
pub(crate) use self::stored_outcome::StoredOutcome;
use crate::CheckpointId;

/// Policy for calls of unknown outcome: the call began, and the process or the run's future ended before the call
/// did. Calls of tools that are `read_only` or `idempotent` run again in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownOutcome {
    /// The call becomes pending, as [`PendingCallReason::OutcomeUnknown`](crate::PendingCallReason::OutcomeUnknown), and somebody
    /// [decides](crate::Session::decide). It runs again if it is approved. It can also be answered with its outcome,
    /// or rejected.
    #[default]
    Ask,
    /// The model gets an error that says that the outcome is unknown.
    Fail,
    /// The call runs again, and its effect may happen twice.
    RunAgain,
}

/// Record of a call in a [`Checkpointer`](crate::Checkpointer).
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// The call's idempotency key: run, turn, place in the turn, call id.
    pub key: String,
    /// The call as it ran, with arguments that were repaired or rewritten on the way.
    pub call: ToolCall,
    /// The arguments as the model wrote them, where the call ran with others: repaired, rewritten by a layer, or changed by
    /// a person.
    pub model_arguments: Option<String>,
    /// One more with each change of the record: as it is replaced, and as the call ends.
    pub revision: u64,
    /// The newest checkpoint of the session when it began.
    pub after: CheckpointId,
    /// Outcome as JSON text. `None` while the call runs, or if the outcome is unknown.
    pub outcome: Option<String>,
}

/// A call that is about to run.
#[derive(Debug, Clone, Copy)]
pub struct Begin<'a> {
    /// The session's id.
    pub session: &'a str,
    /// The newest checkpoint of the session, as far as whoever runs the call knows.
    pub after: CheckpointId,
    /// The call's idempotency key.
    pub key: &'a str,
    /// The call.
    pub call: &'a ToolCall,
    /// The arguments as the model wrote them, where the call runs with others.
    pub model_arguments: Option<&'a str>,
    /// The revision of the record that this one replaces; `None` if there is to be none.
    pub replaces: Option<u64>,
}

impl Begin<'_> {
    /// The record of a call that begins.
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

/// Result of recording that a call begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// It is recorded, and may run. The record's revision.
    Recorded(u64),
    /// Another record stands there.
    Standing(CallRecord),
}

/// Returns the value that is shown to the person who decides about a call of unknown outcome.
fn shown(record: &CallRecord) -> Value {
    serde_json::json!({
        "outcome": "unknown",
        "tool": record.call.name,
        "arguments": record.call.arguments,
    })
}
