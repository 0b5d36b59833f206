use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(feature = "tokio")]
use toolwright_provider::call::{ErrorKind, ToolError};

/// What a person or a policy says to a call that waits.
///
/// As JSON it is `"approve"`, `{"edit": {…}}`, `{"reject": "too costly"}` or `{"answer": …}`.
///
/// ```
/// use serde_json::json;
/// use toolwright::call::Decision;
///
/// let decision: Decision = serde_json::from_value(json!({"edit": {"city": "Kyoto"}})).unwrap();
/// assert_eq!(decision, Decision::Edit(json!({"city": "Kyoto"})));
/// assert_eq!(serde_json::to_value(Decision::Approve).unwrap(), "approve");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call runs as it was shown.
    Approve,
    /// The call runs with these arguments: a JSON object. They are read and validated like those of
    /// a model; wrong ones are the call's [`InvalidArgs`](crate::ErrorKind::InvalidArgs) error, which the
    /// model reads. An integer of more than 64 bits is written as a string: a JSON value does not
    /// hold its digits, and they are read from one.
    Edit(Value),
    /// The call does not run, and the model reads why.
    Reject(String),
    /// The call does not run, and this is its result.
    Answer(Value),
}

#[cfg(feature = "tokio")]
impl Decision {
    /// A call that was refused, for this reason.
    pub(crate) fn rejected(reason: &str) -> ToolError {
        let reason = reason.trim();
        let words = if reason.is_empty() {
            "the call was rejected".into()
        } else {
            format!("the call was rejected: {reason}")
        };
        ToolError::new(ErrorKind::Rejected, words)
    }
}
