mod file;
mod worker;

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use toolwright_runtime::ToolCall;

use self::worker::Worker;
use super::error::expect;
use super::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, NewCheckpoint, Storing, Written,
};
use crate::Node;
use crate::journal::{Begin, Begun, CallRecord};

/// Keeps sessions in a SQLite file, for one program or several on one machine.
///
/// One connection lives on a thread of its own, which ends when the value is dropped. What was written
/// is on the disk when the future is ready, and survives the end of the program at any moment, and
/// that of the machine if its disk keeps what it confirmed (write-ahead log, `synchronous = FULL`).
/// Whoever waits for another program's transaction waits at most 10 seconds.
///
/// The file holds all that people and models said, and what tools were given and answered, as plain
/// text. On Unix it is made for its owner alone (mode 0600), as are the files `-wal` and `-shm` that
/// stand beside it while it is open; the rights of a file that is there already are left as they are.
/// Nothing in it is encrypted. SQLite's locks do not work on most network file systems: there, and on
/// several machines, use another [`Checkpointer`].
///
/// ```
/// use toolwright::agent::{Checkpointer, SqliteCheckpointer};
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
    worker: Worker,
}

impl SqliteCheckpointer {
    /// Opens the file, and makes it if there is none. Blocks shortly.
    ///
    /// # Errors
    /// [`CheckpointError::Unreadable`] when the file is something else, is damaged, or was written by a
    /// newer version; [`CheckpointError::Store`] when it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref().to_owned();
        let connection = file::open(&path)?;
        let worker = Worker::start(&path, connection)?;
        Ok(Self { path, worker })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does something in a transaction of its own, on the connection's thread.
    async fn transact<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Done<T> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let done = self.worker.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        });
        let done: Done<T> = done.await?;
        done.map_err(|failure| failure.of(&self.path))
    }

    /// Reads something, on the connection's thread.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Done<T> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let done = self.worker.run(move |connection| work(connection)).await?;
        done.map_err(|failure| failure.of(&self.path))
    }
}

type Done<T> = Result<T, Failure>;

/// Why something was not done.
enum Failure {
    Sqlite(rusqlite::Error),
    Checkpoint(CheckpointError),
    /// A row holds what is never written.
    Damaged(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}

impl Failure {
    fn of(self, path: &Path) -> CheckpointError {
        match self {
            Self::Sqlite(error) => file::error(path, error),
            Self::Checkpoint(error) => error,
            Self::Damaged(what) => {
                CheckpointError::Unreadable(format!("`{}` is damaged: {what}", path.display()))
            }
        }
    }
}

/// Numbers are SQLite's: of 64 bits with a sign.
fn number(number: u64) -> Done<i64> {
    let words = |_| Failure::Checkpoint(CheckpointError::store("a number is too large"));
    i64::try_from(number).map_err(words)
}

fn unsigned(number: i64) -> Done<u64> {
    u64::try_from(number).map_err(|_| Failure::Damaged(format!("{number} where no sign may be")))
}

fn id(number: i64) -> Done<CheckpointId> {
    unsigned(number).map(CheckpointId::new)
}

fn newest(connection: &Connection, session: &str) -> Done<Option<CheckpointId>> {
    let sql = "SELECT max(id) FROM checkpoint WHERE session = ?1";
    let newest: Option<i64> = connection
        .prepare(sql)?
        .query_row([session], |row| row.get(0))?;
    newest.map(id).transpose()
}

const CHECKPOINT: &str =
    "SELECT id, session, parent, written, next, at_ms, metadata, body FROM checkpoint";

fn checkpoint(row: &Row<'_>) -> Done<Checkpoint> {
    let damaged =
        |what: &str, text: &str| Failure::Damaged(format!("{what} `{text}` of a checkpoint"));
    let (written, next): (String, String) = (row.get(3)?, row.get(4)?);
    let metadata: String = row.get(6)?;
    Ok(Checkpoint {
        id: id(row.get(0)?)?,
        session: row.get(1)?,
        parent: row.get::<_, Option<i64>>(2)?.map(id).transpose()?,
        written: Written::from_name(&written).ok_or_else(|| damaged("the mark", &written))?,
        next: Node::from_name(&next).ok_or_else(|| damaged("the node", &next))?,
        at_ms: unsigned(row.get(5)?)?,
        metadata: serde_json::from_str(&metadata)
            .map_err(|_| damaged("the metadata", &metadata))?,
        body: row.get(7)?,
    })
}

fn checkpoints(
    connection: &Connection,
    rest: &str,
    of: impl rusqlite::Params,
) -> Done<Vec<Checkpoint>> {
    let mut statement = connection.prepare(&format!("{CHECKPOINT} {rest}"))?;
    let mut rows = statement.query(of)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(checkpoint(row)?);
    }
    Ok(found)
}

const CALL: &str = "SELECT key, id, tool, arguments, revision, after, outcome FROM call";

fn record(row: &Row<'_>) -> Done<CallRecord> {
    let (call_id, tool, arguments): (String, String, String) =
        (row.get(1)?, row.get(2)?, row.get(3)?);
    Ok(CallRecord {
        key: row.get(0)?,
        call: ToolCall::new(call_id, tool, arguments),
        revision: unsigned(row.get(4)?)?,
        after: id(row.get(5)?)?,
        outcome: row.get(6)?,
    })
}

/// What a record is written from: all of it is the worker's own.
struct Began {
    session: String,
    key: String,
    call: ToolCall,
    after: CheckpointId,
    replaces: Option<u64>,
}

impl Began {
    fn write(&self, transaction: &Transaction<'_>) -> Done<Begun> {
        expect(
            &self.session,
            Some(self.after),
            newest(transaction, &self.session)?,
        )?;
        let standing = {
            let sql = format!("{CALL} WHERE session = ?1 AND key = ?2");
            let mut statement = transaction.prepare(&sql)?;
            let found = statement.query_row([&self.session, &self.key], |row| Ok(record(row)));
            found.optional()?.transpose()?
        };
        let standing = match standing {
            Some(standing) if self.replaces != Some(standing.revision) => {
                return Ok(Begun::Standing(standing));
            }
            standing => standing,
        };
        let revision = standing.map_or(0, |standing| standing.revision) + 1;
        // A record that is replaced keeps its place in the order.
        let sql = "INSERT INTO call (session, key, id, tool, arguments, revision, after, outcome) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL) \
                   ON CONFLICT (session, key) DO UPDATE SET \
                   arguments = excluded.arguments, revision = excluded.revision, \
                   after = excluded.after, outcome = NULL";
        transaction.prepare(sql)?.execute(params![
            self.session,
            self.key,
            &*self.call.id,
            &*self.call.name,
            &*self.call.arguments,
            number(revision)?,
            number(self.after.get())?,
        ])?;
        Ok(Begun::Recorded(revision))
    }
}

impl Checkpointer for SqliteCheckpointer {
    fn put<'a>(&'a self, new: NewCheckpoint<'a>) -> Storing<'a, CheckpointId> {
        Box::pin(async move {
            let (session, body) = (new.session.to_owned(), new.body.to_owned());
            let metadata = serde_json::Value::Object(new.metadata.clone()).to_string();
            let (after, parent, written, next, at_ms) =
                (new.after, new.parent, new.written, new.next, new.at_ms);
            let put = self.transact(move |transaction| {
                expect(&session, after, newest(transaction, &session)?)?;
                let sql = "INSERT INTO checkpoint (session, parent, written, next, at_ms, metadata, body) \
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
                transaction.prepare(sql)?.execute(params![
                    session,
                    parent.map(|parent| number(parent.get())).transpose()?,
                    written.as_str(),
                    next.as_str(),
                    number(at_ms)?,
                    metadata,
                    body,
                ])?;
                id(transaction.last_insert_rowid())
            });
            put.await
        })
    }

    fn latest<'a>(&'a self, session: &'a str) -> Storing<'a, Option<Checkpoint>> {
        let session = session.to_owned();
        Box::pin(self.read(move |connection| {
            let newest = "WHERE session = ?1 ORDER BY id DESC LIMIT 1";
            Ok(checkpoints(connection, newest, [session])?.pop())
        }))
    }

    fn get(&self, id: CheckpointId) -> Storing<'_, Option<Checkpoint>> {
        Box::pin(self.read(move |connection| {
            let id = number(id.get())?;
            Ok(checkpoints(connection, "WHERE id = ?1", [id])?.pop())
        }))
    }

    fn history<'a>(&'a self, session: &'a str) -> Storing<'a, Vec<Checkpoint>> {
        let session = session.to_owned();
        Box::pin(self.read(move |connection| {
            checkpoints(connection, "WHERE session = ?1 ORDER BY id", [session])
        }))
    }

    fn sessions<'a>(&'a self, after: Option<&'a str>, most: usize) -> Storing<'a, Vec<String>> {
        let after = after.map(str::to_owned);
        Box::pin(self.read(move |connection| {
            let sql = "SELECT DISTINCT session FROM checkpoint \
                       WHERE ?1 IS NULL OR session > ?1 ORDER BY session LIMIT ?2";
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let mut statement = connection.prepare(sql)?;
            let found = statement.query_map(params![after, most], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        }))
    }

    fn delete<'a>(&'a self, session: &'a str) -> Storing<'a, bool> {
        let session = session.to_owned();
        Box::pin(self.transact(move |transaction| {
            transaction.execute("DELETE FROM call WHERE session = ?1", [&session])?;
            let sql = "DELETE FROM checkpoint WHERE session = ?1";
            Ok(transaction.execute(sql, [&session])? > 0)
        }))
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> Storing<'a, Begun> {
        let of = Began {
            session: begin.session.to_owned(),
            key: begin.key.to_owned(),
            call: begin.call.clone(),
            after: begin.after,
            replaces: begin.replaces,
        };
        Box::pin(self.transact(move |transaction| of.write(transaction)))
    }

    fn end_call<'a>(
        &'a self,
        session: &'a str,
        key: &'a str,
        revision: u64,
        outcome: &'a str,
    ) -> Storing<'a, ()> {
        let (session, key, outcome) = (session.to_owned(), key.to_owned(), outcome.to_owned());
        Box::pin(self.transact(move |transaction| {
            let sql = "UPDATE call SET revision = revision + 1, outcome = ?4 \
                       WHERE session = ?1 AND key = ?2 AND revision = ?3";
            let revision = number(revision)?;
            let mut statement = transaction.prepare(sql)?;
            statement.execute(params![session, key, revision, outcome])?;
            Ok(())
        }))
    }

    fn calls<'a>(&'a self, session: &'a str) -> Storing<'a, Vec<CallRecord>> {
        let session = session.to_owned();
        Box::pin(self.read(move |connection| {
            let sql = format!("{CALL} WHERE session = ?1 ORDER BY number");
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query([session])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(record(row)?);
            }
            Ok(found)
        }))
    }
}

impl fmt::Debug for SqliteCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteCheckpointer")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
