//! What a line is answered with.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright::{
    Encoder, ToolResult,
    args::Repair,
    call::Payload,
    executor::{Batch, Halted, Pending, PendingReason},
};

use super::lines::Bad;

/// The answer to a line with one call, to a registration, and to a call of a batch.
#[derive(Serialize)]
pub(crate) struct Reply<'r> {
    id: Option<&'r RawValue>,
    ok: bool,
    code: Option<&'static str>,
    text: Cow<'r, str>,
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Repaired<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<Halt<'r>>,
}

/// The answer to a line with a batch.
#[derive(Serialize)]
pub(crate) struct BatchReply<'r> {
    pub(crate) id: Option<&'r RawValue>,
    /// Of all calls that do not wait, in call order.
    pub(crate) results: Vec<Reply<'r>>,
    /// The others, in call order.
    pub(crate) pending: Vec<Waiting<'r>>,
    pub(crate) halt: Option<Halt<'r>>,
}

#[derive(Serialize)]
struct Repaired<'r> {
    path: &'r str,
    kind: &'static str,
    from: &'r str,
    to: &'r str,
}

/// A call that somebody else answers.
#[derive(Serialize)]
pub(crate) struct Waiting<'r> {
    /// Its place in the batch, from 0.
    index: usize,
    id: Option<&'r RawValue>,
    name: &'r str,
    arguments: &'r str,
    reason: &'static str,
}

/// Why the conversation does not go on by itself.
#[derive(Serialize)]
pub(crate) struct Halt<'r> {
    reason: &'r str,
    /// The place in the batch, from 0, of the call that said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'r RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<&'r Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
}

/// Where a call that ran stands in its line: its place from 0, and its id as it was written.
#[derive(Clone, Copy)]
pub(crate) struct Place<'r> {
    pub(crate) index: usize,
    pub(crate) id: Option<&'r RawValue>,
}

impl<'r> Reply<'r> {
    fn new(id: Option<&'r RawValue>, text: impl Into<Cow<'r, str>>) -> Self {
        Self {
            id,
            ok: false,
            code: None,
            text: text.into(),
            value: None,
            repairs: Vec::new(),
            halt: None,
        }
    }

    pub(crate) fn registered(id: Option<&'r RawValue>, text: String) -> Self {
        Self {
            ok: true,
            ..Self::new(id, text)
        }
    }

    pub(crate) fn bad(id: Option<&'r RawValue>, bad: Bad) -> Self {
        Self {
            code: Some(bad.code),
            ..Self::new(id, bad.text)
        }
    }

    pub(crate) fn waiting(id: Option<&'r RawValue>) -> Self {
        Self {
            code: Some("pending"),
            ..Self::new(id, "the call waits for somebody to answer it")
        }
    }

    /// What a call came to.
    pub(crate) fn answered(id: Option<&'r RawValue>, result: &'r ToolResult) -> io::Result<Self> {
        let (code, value) = match &result.outcome {
            Ok(outcome) => (None, outcome.payload().map(on_one_line)),
            Err(error) => {
                let fault = error.faults().first().map(|fault| fault.code.as_str());
                (Some(fault.unwrap_or(error.kind().as_str())), None)
            }
        };
        Ok(Self {
            ok: result.is_success(),
            code,
            value: value.transpose()?,
            repairs: result.repairs.iter().map(Repaired::of).collect(),
            ..Self::new(id, result.content(Encoder::auto()))
        })
    }

    pub(crate) fn halting(self, halt: Option<Halt<'r>>) -> Self {
        Self { halt, ..self }
    }
}

/// What was sent over several lines is answered on one: between JSON's tokens any space will do, and
/// inside its strings no line ends.
fn on_one_line(value: &Payload) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(value.to_json().replace(['\n', '\r'], " "))
}

impl<'r> Repaired<'r> {
    fn of(repair: &'r Repair) -> Self {
        Self {
            path: &repair.path,
            kind: repair.kind.as_str(),
            from: &repair.from,
            to: &repair.to,
        }
    }
}

impl<'r> Waiting<'r> {
    pub(crate) fn of(pending: &'r Pending, at: Place<'r>) -> Self {
        Self {
            index: at.index,
            id: at.id,
            name: &pending.call.name,
            arguments: &pending.call.arguments,
            reason: match pending.reason {
                PendingReason::ManualTool => "manual_tool",
                PendingReason::ManualMode => "manual_mode",
                _ => "decision",
            },
        }
    }
}

impl<'r> Halt<'r> {
    /// Why a batch halted, whose calls stand at these places.
    pub(crate) fn of(batch: &'r Batch, places: &[Place<'r>]) -> io::Result<Option<Self>> {
        let Some(halted) = batch.halted() else {
            return Ok(None);
        };
        let mut halt = Self {
            reason: halted.as_str(),
            index: None,
            id: None,
            question: None,
            options: None,
            value: None,
        };
        let by = match halted {
            Halted::AskUser {
                index,
                question,
                options,
                ..
            } => {
                halt.question = Some(question);
                halt.options = Some(options);
                Some(*index)
            }
            Halted::Halt { index, value, .. } => {
                halt.value = Some(on_one_line(value)?);
                Some(*index)
            }
            Halted::Aborted { index } | Halted::ToolError { index } => Some(*index),
            _ => None,
        };
        if let Some(place) = by.and_then(|index| places.get(index)) {
            halt.index = Some(place.index);
            halt.id = place.id;
        }
        Ok(Some(halt))
    }
}
