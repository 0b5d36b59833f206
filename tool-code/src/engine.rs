//! The seam between a program and the interpreter that runs it.
//!
//! An engine stops at each point where the program waits for its host. The same messages go through a pipe to an interpreter in a
//! process of its own.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::limits::Limits;
use crate::signature::Signature;

/// Interpreter of one program. Another interpreter is another file.
pub(crate) trait Engine: Send {
    /// Begins the program, or goes on with it, until it waits or ends.
    fn run(&mut self, message: Message) -> Stopped;
}

/// Message to an engine. The program reads its time until the next message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Message {
    /// Microseconds since 1970.
    pub(crate) now: i64,
    pub(crate) input: Input,
}

/// Input of a program that begins or goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Input {
    /// The program itself.
    Start {
        source: String,
        functions: Vec<Signature>,
        limits: Limits,
    },
    /// Answers of the calls that it waits for, in their order.
    Answers(Vec<Answered>),
    /// Nothing: the program ends where it waits.
    End,
}

/// Answer of a call: JSON text of the result, or an exception.
pub(crate) type Answered = Result<String, Raised>;

/// An exception, by the name of its class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Raised {
    pub(crate) class: String,
    pub(crate) message: String,
}

impl Raised {
    pub(crate) fn new(class: &str, message: impl Into<String>) -> Self {
        Self {
            class: class.to_owned(),
            message: message.into(),
        }
    }
}

/// Point at which a program stopped.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stopped {
    /// The program waits for these calls.
    Calls(Vec<Made>),
    Ended(Ended),
}

/// A call that a program made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) tool: String,
    /// JSON text of an object.
    pub(crate) arguments: String,
}

/// End of a program, as the model reads it if there is no error.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// `null` beside an error.
    pub(crate) value: Box<RawValue>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) printed: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) warning: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl Ended {
    pub(crate) fn failed(words: impl Into<String>) -> Self {
        Self {
            value: RawValue::NULL.to_owned(),
            printed: String::new(),
            warning: None,
            error: Some(words.into()),
        }
    }
}
