//! Results of calls in the thread of a program: written by the agent's encoder, and read for the program.

use std::error::Error;

use serde::{Deserialize, Serialize};
use serde_json::Deserializer;
use serde_json::value::RawValue;
use toolwright::agent::thread::ToolMessage;
use toolwright::call::{Block, ErrorKind};
use toolwright::{Encoder, Outcome, ToolResult};

use crate::engine::{Answered, Raised};

/// Encoder of the results, so that a string and a number stay apart, and an error keeps its kind.
pub(crate) const ENCODER: Encoder = Encoder::custom(encode);

/// Result of a call, as it is in the thread.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stored {
    Value(Box<RawValue>),
    Error {
        kind: String,
        message: String,
    },
    /// Kind of a block that no program can read.
    Unreadable(String),
}

fn encode(result: &ToolResult) -> Result<String, Box<dyn Error + Send + Sync>> {
    let stored = match &result.outcome {
        Ok(Outcome::Content(content)) => match content.blocks().iter().find_map(unreadable) {
            Some(kind) => Stored::Unreadable(kind.to_owned()),
            None => Stored::Value(serde_json::value::to_raw_value(&content.to_plain())?),
        },
        Ok(Outcome::Open { note, .. }) => Stored::Value(serde_json::value::to_raw_value(note)?),
        Ok(outcome) => match outcome.payload() {
            Some(payload) => Stored::Value(RawValue::from_string(payload.to_json().into_owned())?),
            // The answer of the person takes its place.
            None => Stored::Value(RawValue::from_string("null".to_owned())?),
        },
        Err(error) => Stored::Error {
            kind: error.kind().as_str().to_owned(),
            message: error.to_string(),
        },
    };
    Ok(serde_json::to_string(&stored)?)
}

fn unreadable(block: &Block) -> Option<&'static str> {
    match block {
        Block::Image { .. } => Some("an image"),
        Block::Audio { .. } => Some("audio"),
        _ => None,
    }
}

/// Answer of a call, read from the thread.
pub(crate) enum Answer {
    Goes(Answered),
    /// A person or a policy rejected the call, for this reason.
    Rejected(String),
    /// A person has not answered the question of the call.
    Awaited,
}

/// Reads the answer of a call.
pub(crate) fn read(message: &ToolMessage) -> Answer {
    if message.asks.is_some() {
        return Answer::Awaited;
    }
    let name = &message.name;
    // A note about edited arguments may follow.
    let mut stored = Deserializer::from_str(&message.text).into_iter();
    let raises =
        |class: &str, words: String| Answer::Goes(Answered::Raises(Raised::new(class, words)));
    match stored
        .next()
        .unwrap_or(Ok(Stored::Value(RawValue::NULL.to_owned())))
    {
        Ok(Stored::Value(value)) => Answer::Goes(Answered::Value(value.get().to_owned())),
        Ok(Stored::Unreadable(kind)) => raises(
            "TypeError",
            format!("{name} returned {kind}, which a program cannot read"),
        ),
        Ok(Stored::Error { kind, message }) if kind == ErrorKind::Rejected.as_str() => {
            Answer::Rejected(message)
        }
        Ok(Stored::Error { kind, message }) => raises(class(&kind), format!("{name}: {message}")),
        Err(_) if message.is_error => raises("RuntimeError", format!("{name}: {}", message.text)),
        Err(_) => {
            let words =
                format!("the result of {name} was cut, since it is longer than the host allows");
            raises("ValueError", words)
        }
    }
}

/// Returns the exception's class for an error of this kind.
fn class(kind: &str) -> &'static str {
    let is = |one: ErrorKind| one.as_str() == kind;
    if is(ErrorKind::InvalidArgs) {
        "ValueError"
    } else if is(ErrorKind::Timeout) {
        "TimeoutError"
    } else if is(ErrorKind::NotApproved) {
        "PermissionError"
    } else if is(ErrorKind::Unknown) || is(ErrorKind::NoHandler) {
        "LookupError"
    } else {
        "RuntimeError"
    }
}
