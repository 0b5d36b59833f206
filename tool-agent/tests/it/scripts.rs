//! What the tests of other systems' behaviours share: scripts of models, notes, and what a session holds.
// A test that finds less than it expects has failed; steps of a script are results.
#![allow(clippy::unwrap_used, clippy::unnecessary_wraps)]

use std::sync::{Arc, Mutex};

use serde_json::Value;
use toolwright::ToolCall;
use toolwright::agent::model::ModelError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{ModelResponse, Session, Thread, ThreadMessage};

pub(crate) type Step = Result<ModelResponse, ModelError>;

pub(crate) fn script(steps: impl IntoIterator<Item = Step>) -> ScriptedModel {
    ScriptedModel::new(steps)
}

pub(crate) fn call(id: &str, name: &str, arguments: &Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

/// A call without arguments, under the tool's name.
pub(crate) fn bare(name: &str) -> ToolCall {
    ToolCall::new(name, name, "{}")
}

pub(crate) fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Step {
    Ok(ModelResponse::calls(calls))
}

pub(crate) fn text(text: &str) -> Step {
    Ok(ModelResponse::text(text))
}

/// A session as it comes back from storage.
pub(crate) fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

pub(crate) fn roles(thread: &Thread) -> Vec<&'static str> {
    let role = |message: &ThreadMessage| match message {
        ThreadMessage::User { .. } => "user",
        ThreadMessage::Assistant(_) => "assistant",
        ThreadMessage::Tool(_) => "tool",
        _ => "?",
    };
    thread.messages().iter().map(role).collect()
}

/// The text of each answer to a call.
pub(crate) fn answers(thread: &Thread) -> Vec<&str> {
    let answers = thread.messages().iter();
    let answers = answers.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(&*answer.text),
        _ => None,
    });
    answers.collect()
}

/// Id and tool of each answer, and whether it is an error.
pub(crate) fn answered(thread: &Thread) -> Vec<(&str, &str, bool)> {
    let answers = thread.messages().iter();
    let answers = answers.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some((&*answer.id, &*answer.name, answer.is_error)),
        _ => None,
    });
    answers.collect()
}

/// What a test hears, in lines.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}
