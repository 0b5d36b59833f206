use serde::{Deserialize, Serialize};

use super::batch::Pending;
use crate::tool::Decision;
use toolwright_provider::call::ToolCall;

/// A pending call with the decision about it; see [`Executor::decide`](crate::executor::Executor::decide). It can be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// The call, with the arguments that were shown.
    pub call: ToolCall,
    /// Its place in the model's turn, from 0.
    #[serde(default)]
    pub place: usize,
    /// Decision of a person or a policy.
    pub decision: Decision,
}

impl Decided {
    /// Returns the call to run, with edited arguments, so observers see them.
    pub(super) fn as_run(&self) -> ToolCall {
        match &self.decision {
            Decision::Edit(arguments) => self.call.with_arguments(arguments.to_string()),
            Decision::Approve | Decision::Reject(_) | Decision::Answer(_) => self.call.clone(),
        }
    }
}

impl Pending {
    /// Attaches a decision to the call.
    pub fn decided(&self, decision: Decision) -> Decided {
        Decided {
            call: self.call.clone(),
            place: self.place,
            decision,
        }
    }
}
