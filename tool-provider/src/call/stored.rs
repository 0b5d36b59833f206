//! The form in which an outcome is stored and sent to other processes.

use std::fmt;

use super::error::ErrorData;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_schema::decode::Repair;

use crate::call::{
    Block, Content, HaltReason, Meta, Outcome, Payload, ToolCall, ToolError, ToolResult,
};

/// The outcome of a call, in a form to store or to send to another process.
///
/// [`into_outcome`](Self::into_outcome) restores values, questions, ends and errors. Only the
/// [`source`](std::error::Error::source) of an error is lost. The JSON carries a version, and reading another version is
/// an error. It is for hosts, and may hold more than a model reads.
///
/// ```
/// use toolwright::call::StoredOutcome;
/// use toolwright::{Context, ToolCall, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let call = ToolCall::new("call_1", "add", r#"{"a": "2", "b": 3}"#);
/// let result = tools![add].call_blocking(&call, &Context::new());
/// let sent = StoredOutcome::of(&result)?.to_json()?;
///
/// // In another process:
/// let back = StoredOutcome::from_json(&sent)?.into_result(&call);
/// assert_eq!(back.value(), Some(5.into()));
/// assert_eq!(back.repairs.len(), 1);
/// # Ok::<(), toolwright::call::StoredOutcomeError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredOutcome {
    form: FormatVersion,
    came_to: StoredKind,
    /// True if the value replaces an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    handled: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    updates: Vec<(String, Value)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Repair>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    attributes: Meta,
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
    Open {
        key: String,
        note: String,
    },
    Error(ErrorData),
}

impl StoredOutcome {
    /// The outcome of a result, with its repairs and attributes.
    ///
    /// # Errors
    /// If a value is not valid JSON.
    pub fn of(result: &ToolResult) -> Result<Self, StoredOutcomeError> {
        let came_to = match &result.outcome {
            Ok(Outcome::Value(value)) => StoredKind::Value(raw(value)?),
            Ok(Outcome::Content(content)) => StoredKind::Content(content.blocks().to_vec()),
            Ok(Outcome::AskUser { question, options }) => StoredKind::AskUser {
                question: question.clone(),
                options: options.clone(),
            },
            Ok(Outcome::Halt { reason, value }) => StoredKind::Halt {
                reason: reason.as_str().to_owned(),
                value: raw(value)?,
            },
            Ok(Outcome::ReturnDirect(value)) => StoredKind::ReturnDirect(raw(value)?),
            Ok(Outcome::Open { key, note }) => StoredKind::Open {
                key: key.clone(),
                note: note.clone(),
            },
            Err(error) => StoredKind::Error(error.stored()),
        };
        Ok(Self {
            handled: matches!(&result.outcome, Ok(Outcome::Value(value)) if value.__is_handled()),
            repairs: result.repairs.to_vec(),
            attributes: result.attributes.clone(),
            ..Self::of_kind(came_to)
        })
    }

    /// The outcome of a call that failed.
    pub fn of_error(error: &ToolError) -> Self {
        Self::of_kind(StoredKind::Error(error.stored()))
    }

    fn of_kind(came_to: StoredKind) -> Self {
        Self {
            form: FormatVersion,
            came_to,
            handled: false,
            updates: Vec::new(),
            repairs: Vec::new(),
            attributes: Meta::default(),
        }
    }

    /// The outcome of a call that has no result yet. A value that cannot be written as JSON becomes an error, as it
    /// does for the model.
    ///
    /// # Errors
    /// See [`of`](Self::of).
    pub fn new(
        call: &ToolCall,
        outcome: &Result<Outcome, ToolError>,
    ) -> Result<Self, StoredOutcomeError> {
        let handled = matches!(outcome, Ok(Outcome::Value(value)) if value.__is_handled());
        Ok(Self {
            handled,
            ..Self::of(&ToolResult::new(call, outcome.clone()))?
        })
    }

    /// Adds the call's changes of the conversation's state, in order.
    pub fn with_updates(self, updates: Vec<(String, Value)>) -> Self {
        Self { updates, ..self }
    }

    /// Writes the outcome as JSON.
    ///
    /// # Errors
    /// If a part cannot be written as JSON.
    pub fn to_json(&self) -> Result<String, StoredOutcomeError> {
        serde_json::to_string(self).map_err(StoredOutcomeError::of)
    }

    /// Reads an outcome.
    ///
    /// # Errors
    /// If the text is not an outcome, or has another version; see [`StoredOutcomeError::is_of_another_version`].
    pub fn from_json(text: &str) -> Result<Self, StoredOutcomeError> {
        serde_json::from_str(text).map_err(|error| match FormatVersion::of_another(text) {
            Some(words) => StoredOutcomeError {
                message: words,
                is_of_another_version: true,
            },
            None => StoredOutcomeError::of(error),
        })
    }

    /// Returns true if the call failed.
    pub fn is_error(&self) -> bool {
        matches!(self.came_to, StoredKind::Error(_))
    }

    /// The call's changes of the conversation's state, in order.
    pub fn updates(&self) -> &[(String, Value)] {
        &self.updates
    }

    /// Restores the result, as the answer to `call`. Its duration is zero.
    pub fn into_result(mut self, call: &ToolCall) -> ToolResult {
        let (repairs, attributes) = (
            std::mem::take(&mut self.repairs),
            std::mem::take(&mut self.attributes),
        );
        let mut result = ToolResult::new(call, self.into_outcome());
        result.repairs = repairs.into();
        result.attributes = attributes;
        result
    }

    /// Restores the outcome.
    ///
    /// # Errors
    /// Returns the error of the call, without its source.
    pub fn into_outcome(self) -> Result<Outcome, ToolError> {
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
            StoredKind::Open { key, note } => Outcome::Open { key, note },
            StoredKind::Error(stored) => return Err(ToolError::restored(stored)),
        })
    }
}

/// Error of writing or reading a [`StoredOutcome`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOutcomeError {
    message: String,
    is_of_another_version: bool,
}

impl StoredOutcomeError {
    // Callers hand it on as it is.
    #[allow(clippy::needless_pass_by_value)]
    fn of(error: serde_json::Error) -> Self {
        Self {
            message: error.to_string(),
            is_of_another_version: false,
        }
    }

    /// Returns true if the outcome was written by another version of the library, which may read it.
    pub fn is_of_another_version(&self) -> bool {
        self.is_of_another_version
    }
}

impl fmt::Display for StoredOutcomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoredOutcomeError {}

fn raw(value: &Payload) -> Result<Box<RawValue>, StoredOutcomeError> {
    RawValue::from_string(value.to_json().into_owned()).map_err(StoredOutcomeError::of)
}

/// Version number of the stored form of sessions and outcomes. Other versions are not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
#[doc(hidden)]
pub struct FormatVersion;

impl FormatVersion {
    const NUMBER: u32 = 2;

    /// Returns an error message if the text has another version.
    pub fn of_another(text: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct StoredForm {
            form: u32,
        }
        let stored: StoredForm = serde_json::from_str(text).ok()?;
        Self::try_from(stored.form).err()
    }
}

impl From<FormatVersion> for u32 {
    fn from(_: FormatVersion) -> Self {
        FormatVersion::NUMBER
    }
}

impl TryFrom<u32> for FormatVersion {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        let words = || {
            format!(
                "it is of form {number}; this program knows form {}",
                Self::NUMBER
            )
        };
        (number == Self::NUMBER).then_some(Self).ok_or_else(words)
    }
}
