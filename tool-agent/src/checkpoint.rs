mod error;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::error::{CheckpointError, Damage, DamagedPart};
pub use self::memory::MemoryCheckpointer;
#[cfg(feature = "sqlite")]
pub use self::sqlite::SqliteCheckpointer;
use crate::BoxFuture;
use crate::journal::{Begin, Begun, CallRecord};
use crate::{Node, Session};

/// Store of sessions and of records of their calls.
///
/// Checkpoints are never changed. A new one is put behind the session's newest one, if that is still the one its
/// writer has seen ([`NewCheckpoint::after`]). If two run a session at once, in one process or on two machines, one
/// of them gets a [`CheckpointError::Conflict`].
///
/// Implementations promise, whoever else uses the same store:
/// - [`put`](Self::put) and [`begin_call`](Self::begin_call) look at what stands there and write in
///   one transaction.
/// - What has been written when the future is ready survives the end of the program.
/// - A [`CheckpointId`] is greater than all that the store gave before, and is never given again, not
///   after a [`delete`](Self::delete) either.
///
/// A future that is dropped may or may not have written.
///
/// [`testing::conformance::checkpointer`](crate::testing::conformance::checkpointer) holds an implementation
/// against all of it.
pub trait Checkpointer: Send + Sync {
    /// Puts a checkpoint behind the session's newest one.
    ///
    /// # Errors
    /// [`CheckpointError::Conflict`] when the newest one is not [`NewCheckpoint::after`].
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>>;

    /// The session's newest checkpoint.
    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>>;

    /// The checkpoint of this id, of whatever session.
    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>>;

    /// All of the session's checkpoints, the oldest first.
    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>>;

    /// The ids of sessions in the order of their text: of those behind `after`, at most `most`.
    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>>;

    /// Deletes all that is known of the session. Whether there was something.
    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>>;

    /// Records that a call begins, unless another record of it stands there than the one that it is
    /// to replace ([`Begin::replaces`]).
    ///
    /// # Errors
    /// [`CheckpointError::Conflict`] when the session's newest checkpoint is not [`Begin::after`]:
    /// somebody else goes on with the session, and the call must not run here.
    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>>;

    /// Records what became of a call: in the record of this revision, if it still stands there, whose
    /// revision is one more from then on. That others go on with the session since is no matter: the call
    /// has run.
    fn end_call<'a>(
        &'a self,
        session: &'a str,
        key: &'a str,
        revision: u64,
        outcome: &'a str,
    ) -> BoxFuture<'a, Result<(), CheckpointError>>;

    /// Returns the records of the session's calls, in the order in which the calls first began.
    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>>;
}

/// A shared store is one.
impl<C: Checkpointer + ?Sized> Checkpointer for Arc<C> {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        (**self).put(new)
    }

    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>> {
        (**self).latest(session)
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        (**self).get(id)
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        (**self).history(session)
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        (**self).sessions(after, most)
    }

    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        (**self).delete(session)
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        (**self).begin_call(begin)
    }

    fn end_call<'a>(
        &'a self,
        session: &'a str,
        key: &'a str,
        revision: u64,
        outcome: &'a str,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        (**self).end_call(session, key, revision, outcome)
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        (**self).calls(session)
    }
}

/// The number of a checkpoint in its store: the greater, the newer. A session carries that of its
/// newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckpointId(u64);

impl CheckpointId {
    /// The checkpoint of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Version number of the stored form of sessions and outcomes. Text of another version is not read; text without a
/// number is of the first version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) struct FormatVersion;

impl FormatVersion {
    const NUMBER: u32 = 1;

    /// Returns words that say so, if the text is of another form.
    pub(crate) fn of_another(text: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct Stored {
            form: u32,
        }
        let stored: Stored = serde_json::from_str(text).ok()?;
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

/// When a checkpoint was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Written {
    /// As a run began, or went on after a pause.
    Start,
    /// After a node of a run.
    Node,
    /// As a run ended or paused.
    End,
    /// When the host changed the session between runs.
    Update,
    /// When the host went back to an older checkpoint.
    Branch,
}

impl Written {
    pub(crate) const ALL: [Self; 5] = [
        Self::Start,
        Self::Node,
        Self::End,
        Self::Update,
        Self::Branch,
    ];

    /// Its name, as it is stored: `start`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Node => "node",
            Self::End => "end",
            Self::Update => "update",
            Self::Branch => "branch",
        }
    }

    /// Returns the variant that is stored under this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|written| written.as_str() == name)
    }
}

/// A checkpoint that is to be put.
#[derive(Debug, Clone, Copy)]
pub struct NewCheckpoint<'a> {
    /// The session's id.
    pub session: &'a str,
    /// The newest checkpoint of the session, as far as whoever puts this one knows; `None` if there
    /// is to be none.
    pub after: Option<CheckpointId>,
    /// The checkpoint that this one goes on from: the newest one, but for a branch.
    pub parent: Option<CheckpointId>,
    /// When it is written.
    pub written: Written,
    /// Node that comes next in the session.
    pub next: Node,
    /// The time: milliseconds since 1970, by the clock of whoever puts it.
    pub at_ms: u64,
    /// Metadata of the host.
    pub metadata: &'a Map<String, Value>,
    /// The session: a JSON text.
    pub body: &'a str,
}

/// A session as it stood once.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Its number.
    pub id: CheckpointId,
    /// The session's id.
    pub session: String,
    /// The checkpoint that it goes on from; `None` of the first.
    pub parent: Option<CheckpointId>,
    /// When it was written.
    pub written: Written,
    /// Node that came next in the session.
    pub next: Node,
    /// The time: milliseconds since 1970, by the clock of whoever put it.
    pub at_ms: u64,
    /// Metadata of the host.
    pub metadata: Map<String, Value>,
    /// The session: a JSON text.
    pub body: String,
}

impl Checkpoint {
    /// The session as it stood. If this is its newest checkpoint, an agent can go on with it.
    ///
    /// # Errors
    /// [`CheckpointError::Unreadable`] when a newer version wrote the stored text, [`CheckpointError::Damaged`] when it
    /// is no session.
    pub fn session(&self) -> Result<Session, CheckpointError> {
        let mut session: Session = serde_json::from_str(&self.body).map_err(|error| {
            if let Some(words) = FormatVersion::of_another(&self.body) {
                let (id, session) = (self.id, &self.session);
                return CheckpointError::Unreadable(format!(
                    "checkpoint {id} of the session `{session}` cannot be read: {words}"
                ));
            }
            let part = DamagedPart::Checkpoint(self.id);
            let damage = Damage::of_session(&*self.session, part, None);
            CheckpointError::damaged(damage.because(error.to_string()))
        })?;
        session.saved = Some(self.id);
        Ok(session)
    }
}
