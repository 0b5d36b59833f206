//! Answers of people to questions.

#[cfg(feature = "server")]
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
#[cfg(feature = "server")]
use toolwright_runtime::tool::Context;

/// Results of a call's questions, for tools that continue after an answer.
///
/// A tool asks by returning [`Outcome::ask`](toolwright_provider::call::Outcome::ask). If the question has the
/// option `key`, the tool is called again after the answer, with the same arguments. It finds all results so far under
/// their keys.
/// Without a `key` the answer is the call's result, and the tool is not called again.
///
/// The option `schema` describes the answer: a flat JSON Schema of an object. Without it, the answer is one string
/// named `answer`, or one of the option `choices`.
///
/// ```
/// use serde_json::json;
/// use toolwright::{Context, Outcome};
/// use toolwright::mcp::{ElicitResult, ElicitResults};
///
/// fn greet(cx: &Context) -> Outcome {
///     match ElicitResults::of(cx).get("name") {
///         Some(ElicitResult::Accept(said)) => Outcome::value(format!("Hello, {}!", said["name"])),
///         Some(_) => Outcome::value("Hello, whoever you are!"),
///         None => Outcome::ask("What is your name?").option("key", "name").option(
///             "schema",
///             json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
///         ),
///     }
/// }
/// ```
#[cfg(feature = "server")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElicitResults(BTreeMap<String, ElicitResult>);

/// Result of a question to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", content = "content", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitResult {
    /// The person answered. Holds the values by name.
    Accept(Map<String, Value>),
    /// The person declined.
    Decline,
    /// The person left without an answer.
    Cancel,
}

#[cfg(feature = "server")]
impl ElicitResults {
    /// Returns the results for the current call, which are empty outside of a server.
    pub fn of(cx: &Context) -> &Self {
        const NONE: &ElicitResults = &ElicitResults(BTreeMap::new());
        cx.get().unwrap_or(NONE)
    }

    /// Returns the result of the question with this key.
    pub fn get(&self, key: &str) -> Option<&ElicitResult> {
        self.0.get(key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, key: impl Into<String>, answer: ElicitResult) {
        self.0.insert(key.into(), answer);
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<ElicitResult> {
        self.0.remove(key)
    }
}

#[cfg(feature = "server")]
impl ElicitResult {
    /// A client's words for it: `{"action": "accept", "content": {…}}`.
    pub(crate) fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        match value.get("action")?.as_str()? {
            "accept" => match value.get("content") {
                Some(Value::Object(content)) => Some(Self::Accept(content.clone())),
                None | Some(Value::Null) => Some(Self::Accept(Map::new())),
                Some(_) => None,
            },
            "decline" => Some(Self::Decline),
            "cancel" => Some(Self::Cancel),
            _ => None,
        }
    }
}
