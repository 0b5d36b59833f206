//! The seam between a program and the interpreter that runs it.
//!
//! An engine stops at each point where the program waits for its host. The same messages go through a pipe to an interpreter in a
//! process of its own.

use serde::{Deserialize, Serialize};

use crate::limits::Limits;
use crate::text::Capped;

/// Interpreter of one program. Another interpreter is another file.
pub(crate) trait Engine: Send {
    /// Begins the program, and runs it until it waits or ends.
    fn start(&mut self, start: Start) -> Step;

    /// Goes on with what the program waited for.
    fn resume(&mut self, resume: Resume) -> Step;

    /// Takes the text that the program has printed so far.
    fn take_printed(&mut self) -> Capped;
}

/// A program, with the functions that it may call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) source: String,
    pub(crate) functions: Vec<String>,
    pub(crate) limits: Limits,
}

/// What a program waited for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Resume {
    /// Answers of all calls of the last step, by their ids.
    Answers(Vec<(u32, Answered)>),
    /// The time, in microseconds since 1970.
    Now(i64),
}

/// Answer of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answered {
    /// JSON text of the result.
    Value(String),
    Raises(Raised),
}

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// The program waits for these calls.
    Calls(Vec<Made>),
    /// The program asks for the time.
    Now,
    /// The program ended with this value, as JSON text.
    Value(String),
    /// The program ended with an exception, or could not run.
    Failed(String),
}

/// A call that a program made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) id: u32,
    pub(crate) function: String,
    /// Positional arguments, each as JSON text.
    pub(crate) positional: Vec<String>,
    /// Named arguments, each as JSON text.
    pub(crate) named: Vec<(String, String)>,
}
