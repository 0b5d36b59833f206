use std::fmt;

/// What a session does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// Not now.
    WrongStatus {
        /// What the session waits for.
        status: &'static str,
        /// What was tried.
        tried: &'static str,
    },
    /// No pending call has this id.
    UnknownCall(String),
    /// Pending calls of this turn have equal ids: say which by its place.
    AmbiguousCall(String),
    /// The session has failed.
    Failed(String),
    /// The answer cannot be written as JSON.
    Unwritable(String),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongStatus { status, tried } => {
                write!(f, "the session is {status}, and takes no {tried}")
            }
            Self::UnknownCall(id) => write!(f, "no call `{id}` is pending"),
            Self::AmbiguousCall(id) => {
                write!(
                    f,
                    "several pending calls have the id `{id}`; say which by its place"
                )
            }
            Self::Failed(message) => write!(f, "the session has failed: {message}"),
            Self::Unwritable(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for SessionError {}
