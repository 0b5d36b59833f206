//! Inputs that a server asks for before it answers a request (protocol 2026-07-28).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright_provider::call::ToolError;

use super::call::broken;
use super::connection::short;

/// The method of a question to a person.
const ELICITATION: &str = "elicitation/create";

/// The inputs that a server asks for before it answers (protocol 2026-07-28).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InputRequired {
    #[serde(default)]
    pub(super) input_requests: Option<BTreeMap<String, InputRequest>>,
    #[serde(default)]
    pub(super) request_state: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct InputRequest {
    method: String,
    #[serde(default)]
    pub(super) params: Value,
}

impl InputRequest {
    /// Creates a question to a person.
    pub(super) fn question(params: Value) -> Self {
        Self {
            method: ELICITATION.to_owned(),
            params,
        }
    }

    /// Returns true if a person has to answer.
    pub(super) fn asks(&self) -> bool {
        self.method == ELICITATION
    }

    /// Returns the answer to a request that is not a question.
    pub(super) fn at_once(&self) -> Result<Value, ToolError> {
        if self.method == "roots/list" {
            return Ok(json!({"roots": []}));
        }
        let words = format!(
            "the server asked for `{}`, which is not offered",
            short(&self.method)
        );
        Err(ToolError::failed(words))
    }
}

impl InputRequired {
    pub(super) fn read(result: &str) -> Result<Self, ToolError> {
        serde_json::from_str(result).map_err(|error| broken(&error.to_string()))
    }

    /// Returns true if a person has to answer.
    pub(super) fn asks(&self) -> bool {
        let mut asked = self.input_requests.iter().flatten();
        asked.any(|(_, request)| request.asks())
    }

    /// Leaves out what was answered.
    pub(super) fn leave_out(&mut self, answered: &BTreeSet<String>) {
        let asked = self.input_requests.iter_mut();
        asked.for_each(|asked| asked.retain(|key, _| !answered.contains(key)));
    }

    pub(super) fn keys(&self) -> Vec<String> {
        let asked = self.input_requests.iter().flatten();
        asked.map(|(key, _)| key.clone()).collect()
    }
}

/// Answers to what the server asked for before it answers a call: they are sent with the call, once more.
#[derive(Default)]
pub(super) struct InputResponses {
    pub(super) responses: BTreeMap<String, Value>,
    pub(super) state: Option<String>,
}

impl InputResponses {
    pub(super) fn is_empty(&self) -> bool {
        self.responses.is_empty()
    }
}
