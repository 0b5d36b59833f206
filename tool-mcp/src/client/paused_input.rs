//! Calls that wait while people answer their server's questions: without a request on its way (protocol 2026-07-28), or with one.
//!
//! A call that asks leaves a [`PausedInput`] and a question with its caller. Questions of one round are
//! asked one after the other; then the call is made again. A call of an older version goes on where it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_provider::call::ToolError;
use toolwright_runtime::executor::{PausedCall, Question, StoredState};
use toolwright_runtime::tool::Decision;

use super::elicit::{self, Elicitation};
use super::input_required::{InputRequest, InputRequired, InputResponses};
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
    /// Id of a call whose request is still on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    live: Option<String>,
}

/// How a call goes on once people have answered.
pub(super) enum Resumed {
    /// It is made again, with their answers.
    Again(InputResponses),
    /// The request on its way is given this answer.
    Live { id: String, answer: Value },
}

impl PausedInput {
    /// Answers at once what is not a question.
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
            live: None,
        })
    }

    /// One question of a call whose request is still on its way.
    pub(super) fn live(server: String, params: Value, id: String) -> Self {
        let question = (String::new(), InputRequest::question(params));
        Self {
            server,
            questions: BTreeMap::from([question]),
            responses: BTreeMap::new(),
            state: None,
            live: Some(id),
        }
    }

    /// Takes the decision about a call that waited. Returns how it goes on, or `None` for a call that begins.
    ///
    /// # Errors
    /// The call waits on if it has another question.
    pub(super) fn resume(call: &PausedCall) -> Result<Option<Resumed>, ToolError> {
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
        if !paused.questions.is_empty() {
            return Err(paused.ask(call));
        }
        Ok(Some(match paused.live {
            Some(id) => Resumed::Live {
                id,
                answer: paused.responses.into_values().next().unwrap_or_default(),
            },
            None => Resumed::Again(InputResponses {
                responses: paused.responses,
                state: paused.state,
            }),
        }))
    }

    /// Answers the first question. It stays open if the decision is not an answer to it.
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
