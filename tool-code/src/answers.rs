//! Results of calls in the thread of a program: written by the agent's encoder, and read for the program.

use std::error::Error;

use serde::{Deserialize, Serialize};
use serde_json::Deserializer;
use serde_json::value::{RawValue, to_raw_value};
use toolwright::agent::thread::ToolMessage;
use toolwright::call::{Block, ErrorKind};
use toolwright::{Encoder, Outcome, ToolResult};

use crate::engine::{Answered, Raised};

/// Encoder of the results, so that a string and a number stay apart, and an error keeps its kind.
pub(crate) const ENCODER: Encoder = Encoder::custom(encode);

/// Answer of a call, as it is in the thread.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Value(Box<RawValue>),
    Raises(Raised),
    /// A person or a policy rejected the call, for this reason.
    Rejected(String),
    /// A person has not answered the question of the call.
    Awaited,
}

impl Answer {
    fn raises(class: &str, words: String) -> Self {
        Self::Raises(Raised::new(class, words))
    }

    /// Returns the answer of a person in words.
    pub(crate) fn said(text: &str) -> Self {
        to_raw_value(text).map_or(Self::Awaited, Self::Value)
    }

    pub(crate) fn answered(&self) -> Answered {
        match self {
            Self::Value(value) => Ok(value.get().to_owned()),
            Self::Raises(raised) => Err(raised.clone()),
            Self::Rejected(reason) => Err(Raised::new("PermissionError", reason)),
            Self::Awaited => Err(Raised::new("RuntimeError", "nobody answered")),
        }
    }
}

fn encode(result: &ToolResult) -> Result<String, Box<dyn Error + Send + Sync>> {
    let name = &result.name;
    let answer = match &result.outcome {
        Ok(Outcome::Content(content)) => match content.blocks().iter().find_map(unreadable) {
            Some(kind) => {
                let words = format!("{name} returned {kind}, which a program cannot read");
                Answer::raises("TypeError", words)
            }
            None => Answer::Value(to_raw_value(&content.to_plain())?),
        },
        Ok(outcome) => match outcome.payload() {
            Some(payload) => Answer::Value(RawValue::from_string(payload.to_json().into_owned())?),
            // The answer of the person takes its place.
            None => Answer::Awaited,
        },
        Err(error) if error.kind() == ErrorKind::Rejected => Answer::Rejected(error.to_string()),
        Err(error) => Answer::raises(class(error.kind()), format!("{name}: {error}")),
    };
    Ok(serde_json::to_string(&answer)?)
}

fn unreadable(block: &Block) -> Option<&'static str> {
    match block {
        Block::Image { .. } => Some("an image"),
        Block::Audio { .. } => Some("audio"),
        _ => None,
    }
}

/// Reads the answer of a call.
pub(crate) fn read(message: &ToolMessage) -> Answer {
    if message.asks.is_some() {
        return Answer::Awaited;
    }
    let (name, text) = (&message.name, &message.text);
    // A note about edited arguments may follow.
    match Deserializer::from_str(text).into_iter().next() {
        Some(Ok(answer)) => answer,
        _ if message.is_error => Answer::raises("RuntimeError", format!("{name}: {text}")),
        _ => {
            let words =
                format!("the result of {name} was cut, since it is longer than the host allows");
            Answer::raises("ValueError", words)
        }
    }
}

/// Returns the exception's class for an error of this kind.
fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidArgs => "ValueError",
        ErrorKind::Timeout => "TimeoutError",
        ErrorKind::NotApproved => "PermissionError",
        ErrorKind::Unknown | ErrorKind::Hidden | ErrorKind::NoHandler => "LookupError",
        _ => "RuntimeError",
    }
}
