use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use toolwright_provider::call::Bytes;
#[cfg(feature = "tokio")]
use toolwright_provider::call::{ErrorKind, ToolError};

/// Decision of a person or a policy about a pending call.
///
/// `Debug` shows how long edited arguments are, and not their text: nothing here knows the tool, and so which of them are
/// secret.
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
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call runs as it was shown.
    Approve,
    /// The call runs with these arguments: a JSON object. They are decoded and validated like those of a model; wrong
    /// ones are the call's [`InvalidArgs`](toolwright_provider::call::ErrorKind::InvalidArgs) error, which the model reads. Write an
    /// integer of more than 64 bits as a string, because a JSON value does not hold its digits.
    Edit(Value),
    /// The call does not run, and the model reads the reason.
    Reject(String),
    /// The call does not run, and this is its result.
    Answer(Value),
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approve => f.write_str("Approve"),
            Self::Edit(arguments) => {
                let text = arguments.to_string();
                f.debug_tuple("Edit").field(&Bytes(&text)).finish()
            }
            Self::Reject(reason) => f.debug_tuple("Reject").field(reason).finish(),
            Self::Answer(value) => f.debug_tuple("Answer").field(value).finish(),
        }
    }
}

#[cfg(feature = "tokio")]
impl Decision {
    /// Makes the error of a rejected call.
    #[doc(hidden)]
    pub fn rejected(reason: &str) -> ToolError {
        let reason = reason.trim();
        let words = if reason.is_empty() {
            "the call was rejected".into()
        } else {
            format!("the call was rejected: {reason}")
        };
        ToolError::new(ErrorKind::Rejected, words)
    }
}
