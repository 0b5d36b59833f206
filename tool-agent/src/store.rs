//! Stores of sessions: the trait, its data types, and two implementations.
//!
//! A store holds checkpoints and call records. Both are written with compare and swap, so two processes that run one
//! session get a conflict and not two different histories.

pub mod delta;
mod error;
pub(crate) mod journal;
mod memory;
#[cfg(feature = "sqlite-unbundled")]
mod sqlite;

use std::fmt;
use std::time::Duration;

use auto_impl::auto_impl;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::error::{CheckpointError, Damage, DamagedPart};
pub use self::journal::{Begin, Begun, CallRecord, End, made_before};
pub use self::memory::MemoryCheckpointer;
#[cfg(feature = "sqlite-unbundled")]
pub use self::sqlite::SqliteCheckpointer;
use toolwright_provider::call::FormatVersion;
use toolwright_runtime::tool::BoxFuture;

use crate::session::{Node, Session};

/// Store of sessions and of the records of their calls.
///
/// Checkpoints never change. A new one is added only if the session's newest checkpoint is the one that its writer has
/// seen ([`NewCheckpoint::after`]). If two writers continue a session at once, one of them gets a
/// [`CheckpointError::Conflict`].
///
/// Implementations guarantee, also with concurrent users of the same store:
/// - [`put`](Self::put) and [`begin_call`](Self::begin_call) read and write in one transaction.
/// - Data is durable when the future is ready, also if the process ends.
/// - A [`CheckpointId`] is greater than all ids that the store has assigned before. An id is never reused, not even
///   after a [`delete`](Self::delete).
///
/// A dropped future may or may not have written.
///
/// # Leases
/// A run of an agent can hold a [`Lease`] of its session, so that no other run begins meanwhile. A lease ends by itself, so the
/// death of a machine stops a session for its term at most. The lease's number is that of the checkpoint that took it. Each write
/// of a run carries it, and fails if another run has taken a newer one: a machine that was stopped and goes on later writes nothing.
///
/// The clock of a lease is that of the store.
///
/// To test an implementation, use [`testing::conformance::checkpointer`](crate::testing::conformance::checkpointer).
#[auto_impl(Arc)]
pub trait Checkpointer: Send + Sync {
    /// Adds a checkpoint after the session's newest one.
    ///
    /// # Errors
    /// [`CheckpointError::Conflict`] if the newest one is not [`NewCheckpoint::after`]. [`CheckpointError::Held`] and
    /// [`CheckpointError::LeaseLost`] as [`Lease`] says.
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>>;

    /// Returns the session's newest checkpoint.
    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>>;

    /// Returns the checkpoint with this id, of any session.
    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>>;

    /// Returns all checkpoints of the session, oldest first.
    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>>;

    /// Returns at most `most` session ids in byte order, starting after `after`.
    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>>;

    /// Deletes the session, its call records, and the sessions of agents that its calls ran. Returns true if the session was
    /// there. A run of it gets a conflict.
    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>>;

    /// Records that a call begins. If the call has a record other than the one to replace ([`Begin::replaces`]),
    /// nothing is written.
    ///
    /// # Errors
    /// [`CheckpointError::Conflict`] if the session's newest checkpoint is not [`Begin::after`]. Another writer
    /// continued the session, and the call must not run here. [`CheckpointError::Held`] and
    /// [`CheckpointError::LeaseLost`] as for [`put`](Self::put).
    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>>;

    /// Adds a checkpoint, and records in the same transaction that a call begins after it. [`Begin::after`] does not count. Programs
    /// over tools are stored so.
    ///
    /// By default it only [puts](Self::put) the checkpoint and returns `None` beside its id: the caller [begins](Self::begin_call) the
    /// call, and knows the checkpoint if that fails.
    ///
    /// # Errors
    /// As [`put`](Self::put) and [`begin_call`](Self::begin_call).
    fn put_and_begin<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
        begin: Begin<'a>,
    ) -> BoxFuture<'a, Result<(CheckpointId, Option<Begun>), CheckpointError>> {
        // The caller begins it.
        let _ = begin;
        Box::pin(async move { Ok((self.put(new).await?, None)) })
    }

    /// Records the outcome of a call and increments the record's revision. Does nothing if the record no longer has
    /// this revision. The session may have newer checkpoints, since the call has run in any case.
    ///
    /// # Errors
    /// [`CheckpointError::LeaseLost`] if the call's run has lost its lease ([`End::lease`]). Another run has decided what
    /// becomes of the call.
    fn end_call<'a>(&'a self, end: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>>;

    /// Deletes old checkpoints of a session, from the oldest on, as long as they are not to be [kept](Keep). The newest one stays
    /// in any case. Returns their number. Call records stay.
    fn prune<'a>(
        &'a self,
        session: &'a str,
        keep: Keep,
    ) -> BoxFuture<'a, Result<usize, CheckpointError>>;

    /// Deletes one checkpoint of the session. The newest one stays. Returns true if the checkpoint was deleted. Call records stay.
    fn delete_checkpoint<'a>(
        &'a self,
        session: &'a str,
        id: CheckpointId,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>>;

    /// Returns the records of the session's calls, in the order in which the calls first began.
    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>>;

    /// Adds a message to the session's inbox, for the run that holds the session or the next one. Returns false if there is no such
    /// session. It has no effect on checkpoints and leases.
    fn send<'a>(
        &'a self,
        session: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>>;

    /// Returns at most `most` messages of the session's inbox, in the order in which they were [sent](Self::send), without the
    /// first `after`. Messages stay until the session is deleted. One that is not there yet never comes before one that is.
    fn inbox<'a>(
        &'a self,
        session: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>>;

    /// Renews a lease, so that it ends after `term` from now. A term of zero releases it. `lease` is the checkpoint that took it.
    ///
    /// # Errors
    /// [`CheckpointError::LeaseLost`] if it is not the session's newest lease, or was released.
    fn renew<'a>(
        &'a self,
        session: &'a str,
        lease: CheckpointId,
        term: Duration,
    ) -> BoxFuture<'a, Result<(), CheckpointError>>;

    /// Returns the time for which the run of an agent takes the lease of its session. A run renews it after a third of that
    /// time, and releases it at its end. `None`, the default, is for runs without leases.
    fn lease_term(&self) -> Option<Duration> {
        None
    }
}

/// Number of a checkpoint in its store. Newer checkpoints have greater numbers. A session knows its newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckpointId(u64);

impl CheckpointId {
    /// Creates an id from its number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Occasion on which a checkpoint was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Written {
    /// A run started, or continued after a pause.
    Start,
    /// A node of a run was visited.
    Node,
    /// A run ended or paused.
    End,
    /// The host changed the session between runs.
    Update,
    /// The host went back to an older checkpoint.
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

    /// Returns the stored name: `start`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Node => "node",
            Self::End => "end",
            Self::Update => "update",
            Self::Branch => "branch",
        }
    }

    /// Returns the variant with this stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|written| written.as_str() == name)
    }
}

/// A checkpoint to write.
#[derive(Debug, Clone, Copy)]
pub struct NewCheckpoint<'a> {
    /// The session's id.
    pub session: &'a str,
    /// Newest checkpoint of the session, as far as the writer knows. `None` if there must be none.
    pub after: Option<CheckpointId>,
    /// Checkpoint that this one continues. It is the newest one, except in a branch.
    pub parent: Option<CheckpointId>,
    /// Occasion of the write.
    pub written: Written,
    /// Node that comes next in the session.
    pub next: Node,
    /// Time in milliseconds since 1970, by the writer's clock.
    pub at_ms: u64,
    /// Metadata of the host.
    pub metadata: &'a Map<String, Value>,
    /// Session as JSON text.
    pub body: &'a str,
    /// Id of the session whose call runs the agent of this one. It counts in the first checkpoint: a session is deleted with
    /// its caller.
    pub caller: Option<&'a str>,
    /// What the write does about the session's lease.
    pub lease: Lease,
}

/// Checkpoints that are kept when a session is [pruned](Checkpointer::prune): those that one of the fields keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Number of newest checkpoints to keep. At least one is kept.
    pub newest: usize,
    /// Time from which checkpoints are kept, in milliseconds since 1970.
    pub since_ms: u64,
}

impl Keep {
    /// Returns how many of these checkpoints are not kept. They are given by their times, oldest first.
    pub fn drops(self, at_ms: impl ExactSizeIterator<Item = u64>) -> usize {
        let most = at_ms.len().saturating_sub(self.newest.max(1));
        at_ms
            .take(most)
            .take_while(|at_ms| *at_ms < self.since_ms)
            .count()
    }
}

/// What a write does about the lease of its session. A lease is named by the checkpoint that took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lease {
    /// Nothing. Fails with [`CheckpointError::Held`] while there is a lease.
    #[default]
    None,
    /// Takes the lease for this time. Fails with [`CheckpointError::Held`] while there is one.
    Take(Duration),
    /// Takes the lease for this time. A holder loses it.
    TakeOver(Duration),
    /// Keeps the lease for this time from now. Fails with [`CheckpointError::LeaseLost`] if it is not the newest one. A lease
    /// whose time is over is kept too, if nobody has taken another.
    Keep(CheckpointId, Duration),
    /// Releases the lease. Fails as [`Keep`](Self::Keep) does.
    Release(CheckpointId),
}

impl Lease {
    /// Checks whether a write may be done, for implementations of a store. `standing` is the session's newest lease that was
    /// not released, and the time that it has left: zero if it is over.
    ///
    /// # Errors
    /// [`CheckpointError::Held`] and [`CheckpointError::LeaseLost`], as the variants say.
    pub fn check(
        self,
        session: &str,
        standing: Option<(CheckpointId, Duration)>,
    ) -> Result<(), CheckpointError> {
        let held = standing.filter(|(_, left)| !left.is_zero());
        match (self, held) {
            (Self::None | Self::Take(_), Some((_, left))) => Err(CheckpointError::Held {
                session: session.to_owned(),
                left,
            }),
            (Self::None | Self::Take(_), None) | (Self::TakeOver(_), _) => Ok(()),
            (Self::Keep(token, _) | Self::Release(token), _) => {
                if standing.is_some_and(|(newest, _)| newest == token) {
                    return Ok(());
                }
                Err(CheckpointError::LeaseLost {
                    session: session.to_owned(),
                })
            }
        }
    }

    /// Returns what the beginning or the end of a call does about the lease of its run ([`Begin::lease`], [`End::lease`]), to
    /// [`check`](Self::check) it. The time of the lease stays as it is.
    pub fn of_run(lease: Option<CheckpointId>) -> Self {
        lease.map_or(Self::None, |token| Self::Keep(token, Duration::ZERO))
    }
}

/// What a store knows of a session when a write comes, for implementations of a [`Checkpointer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionHead {
    /// Newest checkpoint.
    pub newest: CheckpointId,
    /// Newest lease that was not released, and the time that it has left: zero if it is over.
    pub lease: Option<(CheckpointId, Duration)>,
}

impl SessionHead {
    /// Checks whether a checkpoint may be put, or a call begin, with this lease and after this checkpoint. `head` is `None` if
    /// there is no such session.
    ///
    /// # Errors
    /// [`CheckpointError::Held`] and [`CheckpointError::LeaseLost`] as [`Lease`] says, and otherwise
    /// [`CheckpointError::Conflict`] if another checkpoint is the newest one.
    pub fn check(
        head: Option<Self>,
        session: &str,
        lease: Lease,
        after: Option<CheckpointId>,
    ) -> Result<(), CheckpointError> {
        lease.check(session, head.and_then(|head| head.lease))?;
        let found = head.map(|head| head.newest);
        if found == after {
            return Ok(());
        }
        Err(CheckpointError::Conflict {
            session: session.to_owned(),
            expected: after,
            found,
        })
    }
}

/// State of a session at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Number of the checkpoint.
    pub id: CheckpointId,
    /// The session's id.
    pub session: String,
    /// Checkpoint that this one continues. `None` for the first.
    pub parent: Option<CheckpointId>,
    /// Occasion of the write.
    pub written: Written,
    /// Node that came next in the session.
    pub next: Node,
    /// Time in milliseconds since 1970, by the writer's clock.
    pub at_ms: u64,
    /// Metadata of the host.
    pub metadata: Map<String, Value>,
    /// Session as JSON text.
    pub body: String,
}

impl Checkpoint {
    /// Returns the session of this checkpoint. An agent can continue it if the checkpoint is the newest one.
    ///
    /// # Errors
    /// [`CheckpointError::Unreadable`] if a newer version wrote the text. [`CheckpointError::Damaged`] if it is not a
    /// session.
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
            CheckpointError::damaged(damage.with_reason(error.to_string()))
        })?;
        session.saved = Some(self.id);
        Ok(session)
    }
}
