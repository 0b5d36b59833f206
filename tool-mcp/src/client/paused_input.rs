//! Calls that wait while people answer their server's questions, without a request on its way (protocol 2026-07-28).
//!
//! A call that asks leaves a [`PausedInput`] and a question with its caller. Questions of one round are
//! asked one after the other; then the call is made again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_provider::call::ToolError;
use toolwright_runtime::executor::{PausedCall, Question, StoredState};
use toolwright_runtime::tool::Decision;

use super::call::{InputRequest, InputRequired, InputResponses};
use super::elicit::{self, Elicitation};
use crate::elicit::ElicitResult;

/// State of a call that waits. The caller stores it, and shows none of it.
#[derive(Serialize, Deserialize)]
pub(super) struct PausedInput {
    /// The server's name for itself.
    server: String,
    /// Questions without an answer. The first one is being asked.
    questions: BTreeMap<String, InputRequest>,
    responses: BTreeMap<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
}

impl PausedInput {
    /// Answers at once what is no question.
    ///
    /// # Errors
    /// Fails if the server asks for something that is not offered.
    pub(super) fn new(server: String, required: InputRequired) -> Result<Self, ToolError> {
        let requests = required.input_requests.unwrap_or_default();
        let (questions, others): (BTreeMap<_, _>, BTreeMap<_, _>) = requests
            .into_iter()
            .partition(|(_, request)| request.asks());
        let others = others.into_iter();
        let responses = others.map(|(key, request)| Ok((key, request.at_once()?)));
        Ok(Self {
            server,
            questions,
            responses: responses.collect::<Result<_, ToolError>>()?,
            state: required.request_state,
        })
    }

    /// Takes the decision about a call that waited. Returns the answers for the server, or `None` for a call that begins.
    ///
    /// # Errors
    /// The call waits on if it has another question.
    pub(super) fn resume(call: &PausedCall) -> Result<Option<InputResponses>, ToolError> {
        let Some((stored, decision)) = call.answer() else {
            return Ok(None);
        };
        let unreadable = |error: serde_json::Error| {
            let words = "the stored state of the call cannot be read";
            ToolError::failed(words)
                .permanent()
                .with_outcome_unknown()
                .with_debug(error.to_string())
        };
        let mut paused: Self = serde_json::from_str(&stored.0).map_err(unreadable)?;
        paused.answer(decision);
        if paused.questions.is_empty() {
            return Ok(Some(InputResponses {
                responses: paused.responses,
                state: paused.state,
            }));
        }
        Err(paused.ask(call))
    }

    /// Answers the first question. It stays open if the decision is no answer to it.
    fn answer(&mut self, decision: Decision) {
        let Some(asked) = self.questions.first_entry() else {
            return;
        };
        let params = &asked.get().params;
        let answer = match decision {
            Decision::Answer(Value::Object(values)) => ElicitResult::Accept(values),
            Decision::Answer(_) if params.get("url").is_some() => ElicitResult::Accept(Map::new()),
            Decision::Reject(_) => ElicitResult::Decline,
            _ => return,
        };
        let answer = elicit::response(params, answer);
        let (key, _) = asked.remove_entry();
        self.responses.insert(key, answer);
    }

    /// Makes the call wait for the answer to the first question. Returns the error that ends this attempt.
    pub(super) fn ask(self, call: &PausedCall) -> ToolError {
        let params = self.questions.values().next().map(|asked| &asked.params);
        let asked = elicit::read(&self.server, params.unwrap_or(&Value::Null));
        match serde_json::to_string(&self) {
            Ok(state) => call.ask(question(asked), StoredState(state)),
            Err(error) => return ToolError::failed(error.to_string()).with_outcome_unknown(),
        }
        ToolError::failed("the MCP server waits for an answer").permanent()
    }
}

fn question(asked: Elicitation) -> Question {
    let mut options = Map::from_iter([("server".to_owned(), asked.server.into())]);
    match (asked.url, asked.schema) {
        (Some(url), _) => options.insert("url".to_owned(), url.into()),
        (None, Some(schema)) => options.insert("schema".to_owned(), schema),
        (None, None) => options.insert("schema".to_owned(), json!({"type": "object"})),
    };
    Question {
        text: asked.message,
        options,
    }
}
