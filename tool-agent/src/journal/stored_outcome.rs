//! Outcome of a call in its stored form.

use serde::ser::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_provider::call::{
    Block, Content, ErrorKind, HaltReason, Outcome, Payload, ToolCall, ToolError, ToolResult,
};
use toolwright_schema::decode::Fault;

use crate::checkpoint::FormatVersion;

/// Outcome of a call, with its updates of the conversation's state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredOutcome {
    #[serde(default)]
    form: FormatVersion,
    came_to: StoredKind,
    /// True if the value replaces an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    handled: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) updates: Vec<(String, Value)>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredKind {
    Value(Box<RawValue>),
    Content(Vec<Block>),
    AskUser {
        question: String,
        options: Map<String, Value>,
    },
    Halt {
        reason: String,
        value: Box<RawValue>,
    },
    ReturnDirect(Box<RawValue>),
    Error {
        kind: String,
        messages: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        faults: Vec<Fault>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        permanent: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        outcome_unknown: bool,
    },
}

impl StoredOutcome {
    /// Returns true if the call failed.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self.came_to, StoredKind::Error { .. })
    }

    pub(crate) fn new(
        call: &ToolCall,
        outcome: &Result<Outcome, ToolError>,
        updates: Vec<(String, Value)>,
    ) -> Result<Self, serde_json::Error> {
        // A value that cannot be written becomes an error, as it does for the model.
        let came_to = match ToolResult::new(call, outcome.clone()).outcome {
            Ok(Outcome::Value(value)) => StoredKind::Value(raw(&value)?),
            Ok(Outcome::Content(content)) => StoredKind::Content(content.blocks().to_vec()),
            Ok(Outcome::AskUser { question, options }) => StoredKind::AskUser { question, options },
            Ok(Outcome::Halt { reason, value }) => StoredKind::Halt {
                reason: reason.as_str().to_owned(),
                value: raw(&value)?,
            },
            Ok(Outcome::ReturnDirect(value)) => StoredKind::ReturnDirect(raw(&value)?),
            Ok(_) => {
                return Err(serde_json::Error::custom(
                    "an outcome of a kind unknown here",
                ));
            }
            Err(error) => StoredKind::Error {
                kind: error.kind().as_str().to_owned(),
                messages: error.messages().map(str::to_owned).collect(),
                faults: error.faults().to_vec(),
                detail: error.host_detail().map(str::to_owned),
                permanent: error.is_permanent(),
                outcome_unknown: error.is_outcome_unknown(),
            },
        };
        Ok(Self {
            form: FormatVersion,
            came_to,
            handled: matches!(outcome, Ok(Outcome::Value(value)) if value.__is_handled()),
            updates,
        })
    }

    /// Restores the outcome exactly. The source of an error is not stored.
    pub(crate) fn outcome(self) -> Result<Outcome, ToolError> {
        Ok(match self.came_to {
            StoredKind::Value(value) if self.handled => {
                Outcome::Value(Payload::new(value).__handled())
            }
            StoredKind::Value(value) => Outcome::Value(Payload::new(value)),
            StoredKind::Content(blocks) => {
                let content = Content::default();
                Outcome::Content(blocks.into_iter().fold(content, Content::with))
            }
            StoredKind::AskUser { question, options } => Outcome::AskUser { question, options },
            StoredKind::Halt { reason, value } => match HaltReason::try_new(reason) {
                Some(reason) => Outcome::Halt {
                    reason,
                    value: Payload::new(value),
                },
                None => Outcome::Value(Payload::new(value)),
            },
            StoredKind::ReturnDirect(value) => Outcome::ReturnDirect(Payload::new(value)),
            StoredKind::Error {
                kind,
                messages,
                faults,
                detail,
                permanent,
                outcome_unknown,
            } => {
                let error = error(&kind, messages, detail).with_faults(faults);
                let error = if permanent { error.permanent() } else { error };
                return Err(if outcome_unknown {
                    error.with_outcome_unknown()
                } else {
                    error
                });
            }
        })
    }
}

fn raw(value: &Payload) -> Result<Box<RawValue>, serde_json::Error> {
    RawValue::from_string(value.to_json().into_owned())
}

fn error(kind: &str, messages: Vec<String>, detail: Option<String>) -> ToolError {
    const KINDS: [ErrorKind; 12] = [
        ErrorKind::Failed,
        ErrorKind::Unknown,
        ErrorKind::InvalidArgs,
        ErrorKind::Rejected,
        ErrorKind::Panicked,
        ErrorKind::Timeout,
        ErrorKind::Cancelled,
        ErrorKind::NoHandler,
        ErrorKind::NotStarted,
        ErrorKind::NoAnswer,
        ErrorKind::Encoding,
        ErrorKind::InvalidReturn,
    ];
    let kind = KINDS.into_iter().find(|known| known.as_str() == kind);
    let mut messages = messages.into_iter();
    let first = messages.next().unwrap_or_default();
    let error = ToolError::new(kind.unwrap_or(ErrorKind::Failed), first);
    let error = messages.fold(error, ToolError::with_message);
    match detail {
        Some(detail) => error.with_debug(detail),
        None => error,
    }
}
