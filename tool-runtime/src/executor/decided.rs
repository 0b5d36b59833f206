use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::batch::Pending;
use super::waiting::PendingReason;
use crate::tool::Decision;
use toolwright_provider::call::ToolCall;

/// A pending call with the decision about it; see [`Executor::run`](crate::executor::Executor::run). It can be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
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
}

impl Decided {
    /// Returns the call to run, with edited arguments, so observers see them.
    pub(super) fn as_run(&self) -> ToolCall {
        match &self.decision {
            Decision::Edit(arguments) => self.call.with_arguments(Arc::clone(arguments)),
            Decision::Approve | Decision::Reject(_) | Decision::Answer(_) => self.call.clone(),
        }
    }
}

impl Pending {
    /// Attaches a decision to the call. A call of [unknown outcome](PendingReason::OutcomeUnknown) that runs again has a
    /// new [key](crate::tool::Context::idempotency_key).
    pub fn decided(&self, decision: Decision) -> Decided {
        let again = matches!(self.reason, PendingReason::OutcomeUnknown(_));
        Decided {
            call: self.call.clone(),
            place: self.place,
            decision,
            attempt: self.attempt.saturating_add(u32::from(again)),
        }
    }
}
