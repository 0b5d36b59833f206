use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::batch::Pending;
use super::waiting::PendingReason;
use crate::tool::Decision;
use toolwright_provider::call::ToolCall;

/// A pending call with the decision about it; see [`Executor::run`](crate::executor::Executor::run). It can be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecidedCall {
    /// The call, with the arguments that were shown.
    pub call: ToolCall,
    /// Its place in the model's turn, from 0.
    #[serde(default)]
    pub place: usize,
    /// Decision of a person or a policy.
    pub decision: Decision,
    /// Number of reruns after an unknown outcome. It is a part of the call's
    /// [key](crate::tool::Context::idempotency_key).
    #[serde(default)]
    pub attempt: u32,
    /// Definition of the tool that the call was shown with. `None` if there is none, or if the decision was stored.
    #[serde(skip)]
    pub(super) shown: Option<Arc<[u8]>>,
}

impl DecidedCall {
    /// Makes a decision about a call at this place of its turn. [`Pending::with_decision`] makes one that is bound to the tool, too:
    /// if the tool has another definition when the call is to run, the call waits again.
    pub fn new(call: ToolCall, place: usize, decision: Decision) -> Self {
        Self {
            call,
            place,
            decision,
            attempt: 0,
            shown: None,
        }
    }

    /// Sets the number of reruns after an unknown outcome.
    pub fn with_attempt(self, attempt: u32) -> Self {
        Self { attempt, ..self }
    }

    /// Returns the call to run, with edited arguments, so observers see them.
    pub(super) fn as_run(&self) -> ToolCall {
        match &self.decision {
            Decision::Edit(arguments) => self.call.with_arguments(Arc::clone(arguments)),
            Decision::Approve | Decision::Reject(_) | Decision::Answer(_) => self.call.clone(),
        }
    }
}

impl Pending {
    /// Attaches a decision to the call. It is about the tool as it was shown. A call of [unknown outcome](PendingReason::OutcomeUnknown) that runs again has a
    /// new [key](crate::tool::Context::idempotency_key).
    pub fn with_decision(&self, decision: Decision) -> DecidedCall {
        let again = matches!(self.reason, PendingReason::OutcomeUnknown(_));
        DecidedCall {
            attempt: self.attempt.saturating_add(u32::from(again)),
            shown: self.shown.clone(),
            ..DecidedCall::new(self.call.clone(), self.place, decision)
        }
    }
}
