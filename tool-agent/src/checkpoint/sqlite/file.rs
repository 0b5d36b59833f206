//! The file: whose it is, and what is in it.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::CheckpointError;

/// Stands in the head of the file: "Twrt".
const APPLICATION: i64 = 0x5477_7274;
/// The version of the tables.
const VERSION: i64 = 1;
/// How long one program waits for another's transaction.
const PATIENCE: Duration = Duration::from_secs(10);

/// Numbers of checkpoints are never given again (`AUTOINCREMENT`), and a call keeps the number of its
/// first record.
const TABLES: &str = "
    CREATE TABLE checkpoint (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        parent INTEGER,
        written TEXT NOT NULL,
        next TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX checkpoint_of_session ON checkpoint (session, id);
    CREATE TABLE call (
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        key TEXT NOT NULL,
        id TEXT NOT NULL,
        tool TEXT NOT NULL,
        arguments TEXT NOT NULL,
        revision INTEGER NOT NULL,
        after INTEGER NOT NULL,
        outcome TEXT,
        UNIQUE (session, key)
    ) STRICT;
";

/// Opens the file and looks whose it is, before anything is written to it.
pub(super) fn open(path: &Path) -> Result<Connection, CheckpointError> {
    make(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags);
    let mut connection = opened.map_err(|failure| error(path, failure))?;
    match prepare(&mut connection, path) {
        Ok(done) => done.map(|()| connection),
        Err(failure) => Err(error(path, failure)),
    }
}

/// Makes the file if there is none, for its owner alone: SQLite would make it for everybody whom the
/// umask allows.
///
/// A file that is there is not opened: to close it again would take all locks off it that this program's
/// other connections hold, and other programs would take its log for one that nobody needs any more.
fn make(path: &Path) -> Result<(), CheckpointError> {
    // Nor does anybody open it between this making and closing it.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => {
            let words = format!("`{}` cannot be opened: {error}", path.display());
            Err(CheckpointError::store_with(words, error))
        }
    }
}

fn prepare(
    connection: &mut Connection,
    path: &Path,
) -> rusqlite::Result<Result<(), CheckpointError>> {
    connection.busy_timeout(PATIENCE)?;
    // Two programs may find a new file at once.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let of_head = |name: &str| transaction.pragma_query_value(None, name, |row| row.get(0));
    let (application, version): (i64, i64) = (of_head("application_id")?, of_head("user_version")?);
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let is_new = application == 0 && version == 0 && tables == 0;
    if is_new {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    } else if application != APPLICATION {
        let words = format!(
            "`{}` is a SQLite file, and not one of checkpoints",
            path.display()
        );
        return Ok(Err(CheckpointError::Unreadable(words)));
    } else if version != VERSION {
        let words = format!(
            "`{}` has tables of version {version}; this program knows version {VERSION}",
            path.display()
        );
        return Ok(Err(CheckpointError::Unreadable(words)));
    }
    transaction.commit()?;
    // Where the file system cannot have a log beside the file, SQLite keeps its older journal, which
    // is as safe.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(Ok(()))
}

/// What SQLite said, in words.
pub(super) fn error(path: &Path, failure: rusqlite::Error) -> CheckpointError {
    let path = path.display();
    match failure.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            CheckpointError::Unreadable(format!("`{path}` is no SQLite file"))
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            CheckpointError::Unreadable(format!("`{path}` is damaged: {failure}"))
        }
        _ if matches!(
            failure,
            rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::FromSqlConversionFailure(..)
        ) =>
        {
            CheckpointError::Unreadable(format!("`{path}` is damaged: {failure}"))
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let words = format!("another program has held `{path}` for too long");
            CheckpointError::store_with(words, failure)
        }
        _ => {
            let words = format!("`{path}` cannot be used: {failure}");
            CheckpointError::store_with(words, failure)
        }
    }
}
