use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolwright_schema::text::Printable;

use super::CheckpointId;

/// Error of a session's store.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The agent has no [`Checkpointer`](crate::store::Checkpointer).
    NoCheckpointer,
    /// The session or checkpoint does not exist.
    NoCheckpoint(String),
    /// Another writer continued the session. Load it again to see its state.
    Conflict {
        /// The session's id.
        session: String,
        /// Newest checkpoint, as the caller knew it.
        expected: Option<CheckpointId>,
        /// Newest checkpoint in the store.
        found: Option<CheckpointId>,
    },
    /// Another run holds the session's [lease](crate::store::Lease).
    Held {
        /// The session's id.
        session: String,
        /// Time until the lease ends, if it is not renewed.
        left: Duration,
    },
    /// Another run has taken the session's [lease](crate::store::Lease), or it was released.
    LeaseLost {
        /// The session's id.
        session: String,
    },
    /// The stored data belongs to another program, or a newer version wrote it.
    Unreadable(String),
    /// A part of the stored data is damaged.
    Damaged(Box<Damage>),
    /// The store failed.
    Store {
        /// Message of the store.
        message: String,
        /// Cause of the failure.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
}

/// Damaged part of a store, and the checkpoint to continue from.
///
/// [`Agent::branch`](crate::Agent::branch) continues from [`last_good`](Self::last_good).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The damaged part.
    pub part: DamagedPart,
    /// Id of the session, if it is readable.
    pub session: Option<String>,
    /// Newest checkpoint of the session, damaged or not. The next one follows it.
    pub newest: Option<CheckpointId>,
    /// Newest checkpoint of the session that is not damaged.
    pub last_good: Option<CheckpointId>,
    /// Description of the damage.
    pub reason: String,
}

/// Part of a store that can be damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamagedPart {
    /// The whole store. None of its data is trusted.
    Store,
    /// The store's row about the session.
    Session,
    /// A checkpoint.
    Checkpoint(CheckpointId),
    /// A call record, by its key.
    Call(String),
}

impl Damage {
    /// Creates damage of a whole store. The reason names the store.
    pub fn of_store(reason: impl Into<String>) -> Self {
        Self {
            part: DamagedPart::Store,
            session: None,
            newest: None,
            last_good: None,
            reason: reason.into(),
        }
    }

    /// Creates damage of a part of a session. `last_good` is its newest checkpoint that is not damaged.
    pub fn of_session(
        session: impl Into<String>,
        part: DamagedPart,
        last_good: Option<CheckpointId>,
    ) -> Self {
        let session = Some(session.into()).filter(|session| !session.is_empty());
        Self {
            part,
            session,
            last_good,
            ..Self::of_store("")
        }
    }

    /// Sets the description of the damage.
    pub fn with_reason(self, reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            ..self
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            // The reason names the store.
            DamagedPart::Store => return f.write_str(&self.reason),
            DamagedPart::Session => f.write_str("what is known")?,
            DamagedPart::Checkpoint(id) => write!(f, "checkpoint {id}")?,
            DamagedPart::Call(key) => write!(f, "the record of the call `{key}`")?,
        }
        match &self.session {
            Some(session) => write!(f, " of the session `{session}`")?,
            None => f.write_str(" of a session")?,
        }
        write!(f, " is damaged: {}", self.reason)?;
        match self.last_good {
            Some(id) => write!(f, "; the last whole checkpoint is {id}"),
            None => Ok(()),
        }
    }
}

impl CheckpointError {
    /// Creates an error for a damaged part of a store.
    pub fn damaged(damage: Damage) -> Self {
        Self::Damaged(Box::new(damage))
    }

    /// Returns the damage, if this is such an error.
    pub fn damage(&self) -> Option<&Damage> {
        match self {
            Self::Damaged(damage) => Some(damage),
            _ => None,
        }
    }

    /// Creates an error for a failure of the store.
    pub fn store(message: impl Into<String>) -> Self {
        Self::Store {
            message: message.into(),
            source: None,
        }
    }

    /// Creates an error for a failure of the store, with its cause.
    pub fn store_with(
        message: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Store {
            message: message.into(),
            source: Some(Arc::from(source.into())),
        }
    }

    /// Returns true if another writer continued the session, or holds its lease.
    pub const fn is_conflict(&self) -> bool {
        matches!(
            self,
            Self::Conflict { .. } | Self::Held { .. } | Self::LeaseLost { .. }
        )
    }
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
                    "the session `{session}` is {} now, and was expected {}: another writer continued it",
                    name(found),
                    name(expected)
                )
            }
            Self::Held { session, left } => {
                let left = left.as_secs_f64();
                write!(
                    f,
                    "another run holds the session `{session}`; its lease ends in {left:.1} s unless it is renewed"
                )
            }
            Self::LeaseLost { session } => write!(
                f,
                "another run took over the session `{session}`, and this one's lease is lost"
            ),
            Self::Damaged(damage) => damage.fmt(f),
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
