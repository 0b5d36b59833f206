use std::error::Error;
use std::fmt;
use std::sync::Arc;

use toolwright_runtime::Printable;

use super::CheckpointId;

/// Why a session was not kept, or not found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The agent has no [`Checkpointer`](crate::Checkpointer).
    NoCheckpointer,
    /// There is no checkpoint: of this session, or of this number.
    NoCheckpoint(String),
    /// Somebody else went on with the session. Load it again to see how it stands.
    Conflict {
        /// The session's id.
        session: String,
        /// Its newest checkpoint, as this side knew it.
        expected: Option<CheckpointId>,
        /// Its newest checkpoint.
        found: Option<CheckpointId>,
    },
    /// What is stored cannot be read: the store is damaged, or it is somebody else's.
    Unreadable(String),
    /// The store did not do it.
    Store {
        /// What it said.
        message: String,
        /// What caused it.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
}

impl CheckpointError {
    /// A store that did not do it.
    pub fn store(message: impl Into<String>) -> Self {
        Self::Store {
            message: message.into(),
            source: None,
        }
    }

    /// The same, with what caused it.
    pub fn store_with(
        message: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Store {
            message: message.into(),
            source: Some(Arc::from(source.into())),
        }
    }

    /// Whether somebody else went on with the session.
    pub const fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }
}

/// The error where a session's newest checkpoint is not the expected one.
pub(super) fn expect(
    session: &str,
    expected: Option<CheckpointId>,
    found: Option<CheckpointId>,
) -> Result<(), CheckpointError> {
    if expected == found {
        return Ok(());
    }
    Err(CheckpointError::Conflict {
        session: session.to_owned(),
        expected,
        found,
    })
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCheckpointer => f.write_str("the agent has no checkpointer"),
            Self::NoCheckpoint(what) => write!(f, "there is no checkpoint of {what}"),
            Self::Conflict {
                session,
                expected,
                found,
            } => {
                let name = |id: &Option<CheckpointId>| match id {
                    Some(id) => format!("at checkpoint {id}"),
                    None => "without a checkpoint".to_owned(),
                };
                write!(
                    f,
                    "the session `{session}` is {} now, and was expected {}: somebody else went on with it",
                    name(found),
                    name(expected)
                )
            }
            Self::Unreadable(message) | Self::Store { message, .. } => {
                Printable::new(message).fmt(f)
            }
        }
    }
}

impl Error for CheckpointError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Store { source, .. } => source.as_deref().map(|source| source as _),
            _ => None,
        }
    }
}
