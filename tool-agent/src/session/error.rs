use std::fmt;

use toolwright_schema::text::Printable;

use crate::run::shown_path;

/// Error of an input that a session does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// The session's status does not allow it.
    WrongStatus {
        /// Status of the session.
        status: &'static str,
        /// Rejected input.
        tried: &'static str,
    },
    /// No pending call has this id.
    UnknownCall(String),
    /// Several pending calls of this turn have this id. Name the call by its place.
    AmbiguousCall(String),
    /// The call with this id is decided already, or the call that runs the agent around it. The next run carries that out.
    Decided(String),
    /// The call runs an agent that waits for somebody: see [`Agent::waiting`](crate::Agent::waiting). Holds the path of
    /// the first call that waits there.
    WaitsInside(Vec<usize>),
    /// The call with this id can be answered or rejected, and nothing else: its tool asks, or it is an open call whose outcome
    /// is unknown.
    NeedsAnswer(String),
    /// The answer does not fit the question's schema. Holds the faults.
    InvalidAnswer(String),
    /// The session has no message to answer. Add one with [`Session::say`](crate::Session::say).
    NoInput,
    /// The session has failed.
    Failed(String),
    /// The answer cannot be written as JSON.
    Unwritable(String),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongStatus { status, tried } => {
                write!(f, "the session is {status}, and takes no {tried}")?;
                f.write_str(way_on(status, tried))
            }
            Self::UnknownCall(id) => {
                let id = Printable::new(id).one_line();
                write!(f, "no call `{id}` is pending")
            }
            Self::AmbiguousCall(id) => {
                let id = Printable::new(id).one_line();
                write!(
                    f,
                    "several pending calls have the id `{id}`; say which by its place"
                )
            }
            Self::Decided(id) => {
                let id = Printable::new(id).one_line();
                write!(f, "the call `{id}` is decided already")
            }
            Self::WaitsInside(path) => {
                let (call, path) = (path.first().copied().unwrap_or_default(), shown_path(path));
                write!(
                    f,
                    "call {call} runs an agent, and the call at the path [{path}] waits for somebody there"
                )
            }
            Self::NeedsAnswer(id) => {
                let id = Printable::new(id).one_line();
                write!(
                    f,
                    "the call `{id}` is not run by a decision; answer or reject it"
                )
            }
            Self::InvalidAnswer(faults) => {
                write!(f, "the answer does not fit: {}", Printable::new(faults))
            }
            Self::NoInput => f.write_str("the session has no message to answer; `say` adds one"),
            Self::Failed(message) => {
                write!(f, "the session has failed: {}", Printable::new(message))
            }
            Self::Unwritable(message) => Printable::new(message).fmt(f),
        }
    }
}

/// Returns a hint at what to do instead.
fn way_on(status: &str, tried: &str) -> &'static str {
    match (status, tried) {
        ("awaiting_tools", _) => {
            ": calls are pending; `decide` or `submit` them first, or give them up with `repair`"
        }
        ("awaiting_user", _) => ": a tool asks; `answer` or `say` goes on",
        ("idle", "reply") => {
            ": its last calls are not answered; a run answers them, and `repair` gives them up"
        }
        _ => "",
    }
}

impl std::error::Error for SessionError {}

impl SessionError {
    /// Makes it an error of the agent that the call at this place runs.
    pub(super) fn at(self, index: usize) -> Self {
        match self {
            Self::WaitsInside(mut path) => {
                path.insert(0, index);
                Self::WaitsInside(path)
            }
            other => other,
        }
    }
}
