use serde::{Deserialize, Serialize};

use super::batch::Pending;
use crate::tool::Decision;
use toolwright_provider::call::ToolCall;

/// A call that waited, and what was decided about it; see
/// [`Executor::decide`](crate::Executor::decide). It can be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// The call, with the arguments that were shown.
    pub call: ToolCall,
    /// Its place in its turn, from 0.
    #[serde(default)]
    pub place: usize,
    /// What a person or a policy said.
    pub decision: Decision,
}

impl Decided {
    /// The call that is to run: everybody who looks on sees the arguments that somebody gave it.
    pub(super) fn as_run(&self) -> ToolCall {
        match &self.decision {
            Decision::Edit(arguments) => self.call.with_arguments(arguments.to_string()),
            Decision::Approve | Decision::Reject(_) | Decision::Answer(_) => self.call.clone(),
        }
    }
}

impl Pending {
    /// The call with a decision about it.
    pub fn decided(&self, decision: Decision) -> Decided {
        Decided {
            call: self.call.clone(),
            place: self.place,
            decision,
        }
    }
}
