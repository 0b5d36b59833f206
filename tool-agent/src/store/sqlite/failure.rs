//! Failures of the store, and the damage that they report.

use std::path::Path;

use super::file;
use crate::store::{CheckpointError, CheckpointId, Damage, DamagedPart};

pub(super) type SqlResult<T> = Result<T, StoreFailure>;

/// Failure of an operation on the store.
pub(super) enum StoreFailure {
    Sqlite(rusqlite::Error),
    Checkpoint(CheckpointError),
    /// The data that was read is damaged, for this reason.
    Damaged(String),
}

impl From<rusqlite::Error> for StoreFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<CheckpointError> for StoreFailure {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}

impl StoreFailure {
    pub(super) fn damaged(reason: impl Into<String>) -> Self {
        Self::Damaged(reason.into())
    }

    /// Returns true for damage that is not yet attributed to a part of the store.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged(_) => true,
            Self::Sqlite(error) => file::is_damage(error),
            Self::Checkpoint(_) => false,
        }
    }

    /// Returns true for damage of a session's own row.
    pub(super) fn is_of_session(&self) -> bool {
        let damage = match self {
            Self::Checkpoint(error) => error.damage(),
            Self::Sqlite(_) | Self::Damaged(_) => None,
        };
        damage.is_some_and(|damage| damage.part == DamagedPart::Session)
    }

    /// Attributes damage to this part of the session. Other failures do not change.
    pub(super) fn in_part(
        self,
        session: &str,
        part: DamagedPart,
        last_good: Option<CheckpointId>,
    ) -> Self {
        self.in_part_of(Damage::of_session(session, part, last_good))
    }

    pub(super) fn in_part_of(self, damage: Damage) -> Self {
        let reason = match self {
            Self::Damaged(reason) => reason,
            Self::Sqlite(error) if file::is_damage(&error) => error.to_string(),
            other => return other,
        };
        CheckpointError::damaged(damage.with_reason(reason)).into()
    }

    pub(super) fn of(self, path: &Path) -> CheckpointError {
        match self {
            Self::Sqlite(error) => file::error(path, error),
            Self::Checkpoint(error) => error,
            Self::Damaged(reason) => {
                let words = format!("`{}` is damaged: {reason}", path.display());
                CheckpointError::damaged(Damage::of_store(words))
            }
        }
    }
}
