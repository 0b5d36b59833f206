//! What a client keeps for us between two requests of one call: the answers so far, signed, and bound
//! to the call's tool and arguments.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use toolwright_provider::call::ToolCall;

use super::question::Question;
use crate::elicit::ElicitResults;
use crate::random;

/// How long a person may take between two requests.
const KEPT: Duration = Duration::from_hours(1);

/// Signs with a key that lives as long as the server.
#[derive(Clone)]
pub(super) struct Sealed(RequestStateCodec);

/// What is kept.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) answers: ElicitResults,
    /// Which arguments the answer to an approval is about.
    pub(super) shown: Option<u64>,
    /// What was asked last.
    pub(super) asked: Option<Question>,
}

impl Sealed {
    pub(super) fn new() -> Self {
        Self(RequestStateCodec::new_unchecked(random::bytes::<32>()))
    }

    pub(super) fn seal(&self, state: &State, call: &ToolCall) -> serde_json::Result<String> {
        let of = of(call);
        let options = SealOptions::new().associated_data(&of).ttl(KEPT);
        Ok(self.0.seal_with(&serde_json::to_vec(state)?, &options))
    }

    /// `None` if it is not what was sealed for this call, or too old.
    pub(super) fn open(&self, sealed: &str, call: &ToolCall) -> Option<State> {
        let opened = self.0.open_with(sealed, &of(call)).ok()?;
        serde_json::from_slice(&opened).ok()
    }
}

/// What an answer is bound to. A name holds no zero.
fn of(call: &ToolCall) -> Vec<u8> {
    [call.name.as_bytes(), call.arguments.as_bytes()].join(&0)
}
