mod named;
mod report;
pub mod say;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::report::Reporter;
use crate::text::printable;

/// One thing that is wrong with a call's arguments, in words by which a model can put it right.
///
/// As text it is one line, the path first: `` lines[2].qty: expected an integer from 1 to 99, got
/// "three" ``.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fault {
    /// Path from the arguments' root: `lines[2].qty`. Empty for the arguments as a whole.
    pub path: String,
    /// Kind of fault.
    pub code: FaultCode,
    /// The expected and the actual value, without the path.
    pub message: String,
}

impl Fault {
    /// Creates a fault at a path.
    #[doc(hidden)]
    pub fn new(path: String, code: FaultCode, message: String) -> Self {
        Self {
            path,
            code,
            message,
        }
    }

    /// Escapes invisible characters: the fault contains keys and values of the arguments.
    pub fn printable(self) -> Self {
        Self {
            path: printable(self.path.into()).into_owned(),
            message: printable(self.message.into()).into_owned(),
            ..self
        }
    }
}

toolwright_json::named_enum! {
    /// The kinds of faults.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum FaultCode {
        /// The text is not JSON.
        InvalidJson = "invalid_json",
        /// The arguments are JSON, but no object.
        NotObject = "not_object",
        /// A key occurs twice in one object.
        DuplicateKey = "duplicate_key",
        /// The argument or key is not declared.
        UnknownArgument = "unknown_argument",
        /// A required argument or key is not there.
        MissingArgument = "missing_argument",
        /// A value of another type than asked for.
        WrongType = "wrong_type",
        /// A number outside the range that the type holds.
        OutOfRange = "out_of_range",
        /// A value that breaks a bound or that its type refuses.
        Bound = "bound",
        /// Arrays and objects nest too deeply.
        TooDeep = "too_deep",
        /// The text is too long.
        TooLarge = "too_large",
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}
