//! The SQLite file: its identity, its tables and its checks.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::failure::{SqlResult, StoreFailure};
use super::{migrate, rows, table};
use crate::store::{CheckpointError, Damage};

/// Application id in the header of the file: "Twrt".
const APPLICATION: i64 = 0x5477_7274;
/// Version of the tables. The first one had no checksums, the second one no deltas and no leases, the third one no inboxes. All are
/// migrated.
const VERSION: i64 = 4;
/// Time limit for waiting on another program's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Tables and indices by name, as SQLite stores their definitions.
const TABLES: [(&str, &str); 8] = [
    (
        table::STORE.name,
        "CREATE TABLE store (
        id INTEGER PRIMARY KEY,
        last INTEGER NOT NULL,
        sessions INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT",
    ),
    (
        table::SESSION.name,
        "CREATE TABLE session (
        id TEXT PRIMARY KEY NOT NULL,
        newest INTEGER NOT NULL,
        checkpoints INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        caller TEXT,
        lease INTEGER,
        lease_until INTEGER,
        checksum INTEGER NOT NULL
    ) STRICT",
    ),
    (
        table::CHECKPOINT.name,
        "CREATE TABLE checkpoint (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        parent INTEGER,
        written TEXT NOT NULL,
        next TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        body TEXT NOT NULL,
        front INTEGER,
        back INTEGER,
        sum INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT",
    ),
    (
        "checkpoint_of_session",
        "CREATE INDEX checkpoint_of_session ON checkpoint (session, id)",
    ),
    (
        "whole_checkpoint",
        "CREATE INDEX whole_checkpoint ON checkpoint (session, id) WHERE front IS NULL",
    ),
    (
        "session_of_caller",
        "CREATE INDEX session_of_caller ON session (caller) WHERE caller IS NOT NULL",
    ),
    (
        table::CALL.name,
        "CREATE TABLE call (
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        key TEXT NOT NULL,
        place INTEGER NOT NULL,
        id TEXT NOT NULL,
        tool TEXT NOT NULL,
        arguments TEXT NOT NULL,
        model_arguments TEXT,
        revision INTEGER NOT NULL,
        after INTEGER NOT NULL,
        outcome TEXT,
        checksum INTEGER NOT NULL,
        UNIQUE (session, key)
    ) STRICT",
    ),
    (
        table::MESSAGE.name,
        "CREATE TABLE message (
        session TEXT NOT NULL,
        number INTEGER NOT NULL,
        text TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (session, number)
    ) STRICT",
    ),
];

/// Opens the file. Checks that it is an undamaged store before anything is written to it.
pub(super) fn open(path: &Path) -> Result<Connection, CheckpointError> {
    make(path)?;
    let prepared = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|mut connection| {
        if identify(&connection, path)? < VERSION {
            migrate(&mut connection, path)?;
        }
        // A write-ahead log could lose its end without notice, so all data is in the main file. A commit ends with the
        // wiped header of the journal, which is on disk before the commit is reported.
        connection.pragma_update_and_check(None, "journal_mode", "persist", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let transaction = connection.transaction()?;
        verify(&transaction)?;
        drop(transaction);
        Ok(connection)
    });
    prepared.map_err(|failure| failure.of(path))
}

/// Opens the file read-only, without checks.
pub(super) fn open_read_only(path: &Path) -> Result<Connection, CheckpointError> {
    let prepared = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
        // Reads a truncated file as far as possible.
        connection.pragma_update(None, "writable_schema", true)?;
        if identify(&connection, path)? == VERSION {
            return Ok(connection);
        }
        let words = format!(
            "`{}` has tables of an older version: open it for writing once",
            path.display()
        );
        Err(CheckpointError::Unreadable(words).into())
    });
    prepared.map_err(|failure| failure.of(path))
}

fn connect(path: &Path, flags: OpenFlags) -> SqlResult<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Creates the file for its owner alone, if there is none. SQLite would create it by the umask.
///
/// It is created completely under another name and then renamed, so an empty file is damage and not a new store. An
/// existing file is not opened here, because closing it would release the locks of this process's other connections.
fn make(path: &Path) -> Result<(), CheckpointError> {
    let failed = |error: io::Error| {
        let words = format!("`{}` cannot be opened: {error}", path.display());
        CheckpointError::store_with(words, error)
    };
    match fs::metadata(path) {
        Ok(found) if found.len() == 0 => {
            let words = format!(
                "`{}` is empty, as no store ever is: it has lost all that it held, or something else made it; without \
                 the file, a new store begins",
                path.display()
            );
            return Err(CheckpointError::damaged(Damage::of_store(words)));
        }
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let new = beside(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&new).map_err(failed)?;
    let filled = fill(&new).map_err(|failure| failure.of(path));
    let placed = filled.and_then(|()| place(&new, path).map_err(failed));
    let _ = fs::remove_file(&new);
    placed
}

/// Returns an unused name in the same directory.
fn beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(path);
    name.push(format!("-new-{}-{next}", std::process::id()));
    name.into()
}

fn fill(path: &Path) -> SqlResult<()> {
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tables(&transaction, &TABLES)?;
    rows::StoreRow::default().write(&transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.commit()?;
    Ok(())
}

/// Creates tables and indices.
fn tables<'t>(
    transaction: &Transaction<'_>,
    tables: impl IntoIterator<Item = &'t (&'static str, &'static str)>,
) -> SqlResult<()> {
    for (_, sql) in tables {
        transaction.execute(sql, [])?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(())
}

/// Renames the new file, unless another process was faster.
fn place(new: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(new, path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        // Some file systems have no hard links.
        Err(_) if !path.exists() => fs::rename(new, path)?,
        Err(error) => return Err(error),
    }
    // Windows cannot open directories.
    #[cfg(unix)]
    if let Some(directory) = path.parent() {
        let here = Path::new(".");
        let is_named = !directory.as_os_str().is_empty();
        fs::File::open(if is_named { directory } else { here })?.sync_all()?;
    }
    Ok(())
}

/// Returns the version of the file's tables, if the file is such a store.
fn identify(connection: &Connection, path: &Path) -> SqlResult<i64> {
    let of_head = |name: &str| connection.pragma_query_value(None, name, |row| row.get(0));
    let (application, version): (i64, i64) = (of_head("application_id")?, of_head("user_version")?);
    let words = if application != APPLICATION {
        "is a SQLite file, and not one of checkpoints".to_owned()
    } else if !(1..=VERSION).contains(&version) {
        format!("has tables of version {version}; this program knows version {VERSION}")
    } else {
        return Ok(version);
    };
    Err(CheckpointError::Unreadable(format!("`{}` {words}", path.display())).into())
}

/// Verifies the tables, pages and counts of the file. Rows have checksums of their own, which are checked when the rows
/// are read.
fn verify(connection: &Connection) -> SqlResult<()> {
    let sql = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY rowid";
    let found: Vec<(String, String)> = connection
        .prepare(sql)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    if !found.iter().map(|(name, sql)| (&**name, &**sql)).eq(TABLES) {
        return Err(StoreFailure::damaged("its tables are other ones"));
    }
    check(connection)?;
    let store = rows::StoreRow::read(connection)?;
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    if count("SELECT count(*) FROM session")? != store.sessions {
        return Err(StoreFailure::damaged("sessions are missing"));
    }
    if count("SELECT coalesce(max(id), 0) FROM checkpoint")? > store.last {
        return Err(StoreFailure::damaged(
            "the number of its newest checkpoint is wrong",
        ));
    }
    Ok(())
}

/// Runs `integrity_check`, which checks all pages and each index against its table. `quick_check` leaves out the
/// indices.
fn check(connection: &Connection) -> SqlResult<()> {
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" {
        Ok(())
    } else {
        Err(StoreFailure::damaged(found))
    }
}

/// Moves the rows of a file of an older version to the tables of this one.
fn migrate(connection: &mut Connection, path: &Path) -> SqlResult<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = identify(&transaction, path)?;
    // Another process may have been faster.
    if version == VERSION {
        return Ok(());
    }
    check(&transaction)?;
    if version == 3 {
        let inbox = TABLES
            .iter()
            .filter(|(name, _)| *name == table::MESSAGE.name);
        tables(&transaction, inbox)?;
        transaction.commit()?;
        return Ok(());
    }
    transaction.execute_batch("DROP INDEX checkpoint_of_session;")?;
    let old: &[&str] = match version {
        1 => &["checkpoint", "call"],
        _ => &["checkpoint", "call", "session", "store"],
    };
    for table in old {
        transaction.execute_batch(&format!("ALTER TABLE {table} RENAME TO old_{table};"))?;
    }
    tables(&transaction, &TABLES)?;
    match version {
        1 => migrate::from_first(&transaction)?,
        _ => migrate::from_second(&transaction)?,
    }
    for table in old {
        transaction.execute_batch(&format!("DROP TABLE old_{table};"))?;
    }
    transaction.commit()?;
    Ok(())
}

/// Converts an error of SQLite, with the file's path in its message.
pub(super) fn error(path: &Path, failure: rusqlite::Error) -> CheckpointError {
    let path = path.display();
    match failure.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            CheckpointError::Unreadable(format!("`{path}` is not a SQLite file"))
        }
        _ if is_damage(&failure) => {
            let words = format!("`{path}` is damaged: {failure}");
            CheckpointError::damaged(Damage::of_store(words))
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

/// Returns true if SQLite reports a damaged file.
pub(super) fn is_damage(failure: &rusqlite::Error) -> bool {
    let of_value = matches!(
        failure,
        rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
    );
    of_value || failure.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}
