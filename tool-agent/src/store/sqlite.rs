//! Store of sessions in a SQLite file.
//!
//! `file` opens and checks the file, `migrate` reads those of older versions, `table` writes rows with checksums, `rows` and
//! `calls` map them to Rust values, `write` adds checkpoints and call records, and `worker`
//! is the thread of the connection. Every operation is one transaction. All rows are checked when they are read, so
//! damaged data is an error and never a wrong session.

mod calls;
mod failure;
mod file;
mod migrate;
mod rows;
mod table;
mod worker;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::calls::RecordRow;
use self::failure::SqlResult;
use self::rows::{SessionRow, number};
use self::worker::JobThread;
use self::write::{NewRecord, OwnedCheckpoint};
use super::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, Keep, Lease, NewCheckpoint};
use crate::store::delta::{Chain, Chains};
use crate::store::{Begin, Begun, CallRecord, End};
use toolwright_runtime::tool::BoxFuture;

/// Store that keeps sessions in a SQLite file, for several processes on one machine.
///
/// One connection runs on a thread of its own, which ends when the value is dropped. Data is on disk when the future is
/// ready (rollback journal, `synchronous = FULL`). It survives the end of the process at any moment; it survives that
/// of the machine if the disk keeps what it confirmed. An operation waits for another process's transaction at most 10
/// seconds.
///
/// The file holds all messages, arguments and results as plain text; nothing is encrypted. On Unix, the file and its
/// journal (`-journal`) are created for their owner alone (mode 0600). The permissions of an existing file do not
/// change. SQLite's locks do not work on most network file systems: use another [`Checkpointer`] there, and for several
/// machines.
///
/// # Damage
/// Damaged data is never read as something else. It is a [`CheckpointError::Damaged`], which names the damaged part.
///
/// - Each row has a checksum over all of its values, checked at every read. A damaged row concerns its session alone,
///   and [`Damage::last_good`](crate::store::Damage::last_good) is the checkpoint to continue from.
/// - Each session stores its newest checkpoint and the number of its checkpoints and calls. The store has the number of
///   sessions. So missing rows are detected.
/// - [`open`](Self::open) checks the whole file with SQLite's `integrity_check` (about 0.3 s for 100 MB). Other writers
///   wait meanwhile. A file that fails is not opened for writing: [`open_read_only`](Self::open_read_only) reads the
///   rest of it.
/// - No write-ahead log can lose its end, since commits go to the file itself.
///
/// A file that was replaced by an older copy of itself is not detected, nor is a deleted file: a new one is created. A row lost while the file is
/// open is detected when its session's history or calls are read, or at the next opening. Checksums protect from accidents, not from attackers.
///
/// ```
/// use toolwright::agent::{store::Checkpointer, SqliteCheckpointer};
///
/// # let dir = std::env::temp_dir().join(format!("toolwright-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir).unwrap();
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = SqliteCheckpointer::open(dir.join("sessions.db")).unwrap();
/// assert!(store.latest("ann").await.unwrap().is_none());
/// # });
/// # std::fs::remove_dir_all(&dir).unwrap();
/// ```
pub struct SqliteCheckpointer {
    path: PathBuf,
    worker: JobThread,
    chains: Chains,
    term: Option<Duration>,
}

impl SqliteCheckpointer {
    /// Opens the file, or creates it. Blocks while the file is read. A file of an older version is migrated.
    ///
    /// # Errors
    /// [`CheckpointError::Unreadable`] if the file is not such a store, or a newer version wrote it.
    /// [`CheckpointError::Damaged`] if it is damaged as a whole, or empty. [`CheckpointError::Store`] if it cannot be
    /// opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref().to_owned();
        let connection = file::open(&path)?;
        let worker = JobThread::start(&path, connection)?;
        Ok(Self::new(path, worker))
    }

    /// Opens a damaged file to read the rest of it. Only the rows that are read are checked, and nothing can be
    /// written.
    ///
    /// Copy the good part to another store:
    ///
    /// ```no_run
    /// use toolwright::agent::{store::{CheckpointError, Checkpointer, Lease, NewCheckpoint, Written}, SqliteCheckpointer};
    ///
    /// # async fn rescue() -> Result<(), CheckpointError> {
    /// let (old, new) = (SqliteCheckpointer::open_read_only("old.db")?, SqliteCheckpointer::open("new.db")?);
    /// let mut after = None;
    /// loop {
    ///     // One at a time: a list that holds a damaged one is an error, which names it.
    ///     let session = match old.sessions(after.as_deref(), 1).await {
    ///         Err(CheckpointError::Damaged(damage)) => damage.session,
    ///         sessions => sessions?.pop(),
    ///     };
    ///     let Some(session) = session else { break };
    ///     after = Some(session.clone());
    ///     let last = match old.latest(&session).await {
    ///         Err(CheckpointError::Damaged(damage)) => match damage.last_good {
    ///             Some(good) => old.get(good).await?,
    ///             None => None,
    ///         },
    ///         last => last?,
    ///     };
    ///     let Some(last) = last else { continue };
    ///     new.put(NewCheckpoint {
    ///         session: &session,
    ///         after: None,
    ///         parent: None,
    ///         written: Written::Branch,
    ///         next: last.next,
    ///         at_ms: last.at_ms,
    ///         metadata: &last.metadata,
    ///         body: &last.body,
    ///         caller: None,
    ///         lease: Lease::None,
    ///     })
    ///     .await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if the file cannot be opened, is not such a store, or has another version.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref().to_owned();
        let connection = file::open_read_only(&path)?;
        let worker = JobThread::start(&path, connection)?;
        Ok(Self::new(path, worker))
    }

    fn new(path: PathBuf, worker: JobThread) -> Self {
        Self {
            path,
            worker,
            chains: Chains::default(),
            term: None,
        }
    }

    /// Sets the [time of a lease](Checkpointer::lease_term). Default: none, so that runs take no leases and a conflict ends the
    /// slower of two. The clock is that of the machine.
    pub fn with_lease(self, term: impl Into<Option<Duration>>) -> Self {
        let term = term.into();
        Self { term, ..self }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the chain that a new checkpoint continues, if this process has it.
    fn chain(&self, new: &NewCheckpoint<'_>) -> Option<Chain> {
        self.chains.take(new.session, new.after?)
    }

    /// Runs `work` in a transaction of its own, on the connection's thread.
    async fn transact<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let done = self.worker.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        });
        let done: SqlResult<T> = done.await?;
        done.map_err(|failure| failure.of(&self.path))
    }

    /// Runs `work` in a read transaction, on the connection's thread.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> SqlResult<T> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        // A transaction, so that concurrent writers do not change what it reads.
        let done = self.worker.run(move |connection| {
            let transaction = connection.transaction()?;
            work(&transaction)
        });
        let done: SqlResult<T> = done.await?;
        done.map_err(|failure| failure.of(&self.path))
    }
}

impl Checkpointer for SqliteCheckpointer {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        Box::pin(async move {
            let (chain, of) = (self.chain(&new), OwnedCheckpoint::of(&new));
            let put = self.transact(move |transaction| of.write(transaction, chain));
            let (id, chain) = put.await?;
            self.chains.keep(new.session, id, chain);
            Ok(id)
        })
    }

    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let name = session.to_owned();
            let latest = self.read(move |connection| rows::latest(connection, &name));
            Ok(latest.await?.map(|(latest, chain)| {
                self.chains.keep(session, latest.id, chain);
                latest
            }))
        })
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(self.read(move |connection| rows::checkpoint(connection, number(id.get())?)))
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        let session = session.to_owned();
        Box::pin(self.read(move |connection| rows::history(connection, &session)))
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        let after = after.map(str::to_owned);
        Box::pin(self.read(move |connection| {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            SessionRow::list(connection, after.as_deref(), most)
        }))
    }

    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        let session = session.to_owned();
        Box::pin(self.transact(move |transaction| {
            let sql = "WITH RECURSIVE gone (id) AS (
                    VALUES (?1)
                    UNION SELECT session.id FROM session JOIN gone ON session.caller = gone.id
                ) SELECT id FROM gone";
            let mut gone = transaction.prepare(sql)?;
            let gone = gone.query_map([&session], |row| row.get(0))?;
            let gone: Vec<String> = gone.collect::<Result<_, _>>()?;
            let mut store = rows::StoreRow::read(transaction)?;
            let mut is_gone = false;
            for id in &gone {
                for table in ["call", "checkpoint", "message"] {
                    transaction
                        .execute(&format!("DELETE FROM {table} WHERE session = ?1"), [id])?;
                }
                let rows = transaction.execute("DELETE FROM session WHERE id = ?1", [id])?;
                store.sessions -= i64::from(rows > 0);
                is_gone |= rows > 0 && *id == session;
            }
            store.write(transaction)?;
            Ok(is_gone)
        }))
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        let of = NewRecord::of(&begin);
        Box::pin(self.transact(move |transaction| of.write(transaction)))
    }

    fn put_and_begin<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
        begin: Begin<'a>,
    ) -> BoxFuture<'a, Result<(CheckpointId, Option<Begun>), CheckpointError>> {
        Box::pin(async move {
            let (chain, of) = (self.chain(&new), OwnedCheckpoint::of(&new));
            let mut record = NewRecord::of(&begin);
            let put = self.transact(move |transaction| {
                let (id, chain) = of.write(transaction, chain)?;
                record.after = id;
                Ok((id, chain, record.write(transaction)?))
            });
            let (id, chain, what) = put.await?;
            self.chains.keep(new.session, id, chain);
            Ok((id, Some(what)))
        })
    }

    fn end_call<'a>(&'a self, end: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>> {
        let (session, key) = (end.session.to_owned(), end.key.to_owned());
        let (outcome, revision, lease) = (end.outcome.to_owned(), end.revision, end.lease);
        Box::pin(self.transact(move |transaction| {
            if lease.is_some()
                && let Some(head) = SessionRow::read(transaction, &session)?
            {
                Lease::of_run(lease).check(&session, head.standing()?)?;
            }
            if let Some(mut standing) = RecordRow::read(transaction, &session, &key)?
                && standing.record.revision == revision
            {
                standing.record.revision += 1;
                standing.record.outcome = Some(outcome);
                standing.write(transaction, &session)?;
            }
            Ok(())
        }))
    }

    fn prune<'a>(
        &'a self,
        session: &'a str,
        keep: Keep,
    ) -> BoxFuture<'a, Result<usize, CheckpointError>> {
        let session = session.to_owned();
        Box::pin(self.transact(move |transaction| rows::prune(transaction, &session, keep)))
    }

    fn delete_checkpoint<'a>(
        &'a self,
        session: &'a str,
        id: CheckpointId,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        let session = session.to_owned();
        Box::pin(self.transact(move |transaction| {
            rows::delete_checkpoint(transaction, &session, number(id.get())?)
        }))
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        let session = session.to_owned();
        Box::pin(self.read(move |connection| RecordRow::list(connection, &session)))
    }

    fn send<'a>(
        &'a self,
        session: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        let (session, message) = (session.to_owned(), message.to_owned());
        Box::pin(self.transact(move |transaction| rows::send(transaction, &session, message)))
    }

    fn inbox<'a>(
        &'a self,
        session: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        let session = session.to_owned();
        Box::pin(self.read(move |connection| {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            rows::inbox(connection, &session, number(after)?, most)
        }))
    }

    fn renew<'a>(
        &'a self,
        session: &'a str,
        lease: CheckpointId,
        term: Duration,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        let session = session.to_owned();
        Box::pin(self.transact(move |transaction| {
            let head = SessionRow::read(transaction, &session)?;
            let standing = head.as_ref().map(SessionRow::standing).transpose()?;
            Lease::Release(lease).check(&session, standing.flatten())?;
            if let Some(mut head) = head {
                head.keep(number(lease.get())?, term);
                head.write(transaction, false)?;
            }
            Ok(())
        }))
    }

    fn lease_term(&self) -> Option<Duration> {
        self.term
    }
}

impl fmt::Debug for SqliteCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteCheckpointer")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
