//! Rows of the tables as Rust values.

use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row, Transaction};
use toolwright_provider::call::ToolCall;

use super::table::{CALL, CHECKPOINT, SESSION, STORE, Table};
use super::{SqlResult, StoreFailure};
use crate::Node;
use crate::checkpoint::{Checkpoint, CheckpointError, CheckpointId, Damage, DamagedPart, Written};
use crate::journal::CallRecord;

/// Converts a number to SQLite's signed 64 bits.
pub(super) fn number(number: u64) -> SqlResult<i64> {
    let words = |_| StoreFailure::Checkpoint(CheckpointError::store("a number is too large"));
    i64::try_from(number).map_err(words)
}

fn unsigned(number: i64) -> SqlResult<u64> {
    let words = |_| StoreFailure::damaged(format!("{number} where no sign may be"));
    u64::try_from(number).map_err(words)
}

pub(super) fn id(number: i64) -> SqlResult<CheckpointId> {
    unsigned(number).map(CheckpointId::new)
}

fn text(text: &str) -> Value {
    text.to_owned().into()
}

/// Returns the first row.
fn first<T>(
    table: &Table,
    connection: &Connection,
    rest: &str,
    of: impl Params,
    read: impl Fn(SqlResult<&Row<'_>>) -> SqlResult<T>,
) -> SqlResult<Option<T>> {
    Ok(table.rows(connection, rest, of, read)?.pop())
}

/// Row with the store's own counts.
#[derive(Default)]
pub(super) struct StoreRow {
    pub(super) last: i64,
    pub(super) sessions: i64,
}

impl StoreRow {
    pub(super) fn read(connection: &Connection) -> SqlResult<Self> {
        let read = |row: SqlResult<&Row<'_>>| {
            let row = row?;
            Ok(Self {
                last: row.get(1)?,
                sessions: row.get(2)?,
            })
        };
        let found = first(&STORE, connection, "WHERE id = 1", [], read)?;
        found.ok_or_else(|| StoreFailure::damaged("it has lost count of its sessions"))
    }

    pub(super) fn write(&self, connection: &Connection) -> SqlResult<()> {
        let row = [1.into(), self.last.into(), self.sessions.into()];
        STORE.write(connection, &row, false)
    }
}

/// Row with a session's newest checkpoint and its counts.
pub(super) struct SessionRow {
    pub(super) session: String,
    pub(super) newest: i64,
    pub(super) checkpoints: i64,
    pub(super) calls: i64,
}

impl SessionRow {
    fn of(row: SqlResult<&Row<'_>>) -> SqlResult<Self> {
        let row = row?;
        Ok(Self {
            session: row.get(0)?,
            newest: row.get(1)?,
            checkpoints: row.get(2)?,
            calls: row.get(3)?,
        })
    }

    pub(super) fn read(connection: &Connection, session: &str) -> SqlResult<Option<Self>> {
        let head = first(&SESSION, connection, "WHERE id = ?1", [session], Self::of);
        head.map_err(|failure| in_session(connection, failure, session))
    }

    pub(super) fn list(
        connection: &Connection,
        after: Option<&str>,
        most: i64,
    ) -> SqlResult<Vec<String>> {
        let rest = "WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2";
        let mut last = after.map(str::to_owned);
        let found = SESSION.rows(connection, rest, (after, most), |row| {
            let session = Self::of(row)?.session;
            last = Some(session.clone());
            Ok(session)
        });
        found.map_err(|failure| {
            // The index holds the id too, so a damaged row does not end the list.
            let sql = "SELECT id FROM session WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT 1";
            let session = connection.query_row(sql, [last], |row| row.get::<_, String>(0));
            in_session(connection, failure, &session.unwrap_or_default())
        })
    }

    pub(super) fn write(&self, connection: &Connection, is_new: bool) -> SqlResult<()> {
        let row = [
            text(&self.session),
            self.newest.into(),
            self.checkpoints.into(),
            self.calls.into(),
        ];
        SESSION.write(connection, &row, is_new)
    }

    pub(super) fn newest(&self) -> SqlResult<CheckpointId> {
        id(self.newest)
    }

    /// Rebuilds a damaged row of a session from the session's rows in the other tables.
    pub(super) fn counted(connection: &Connection, session: &str) -> SqlResult<Option<Self>> {
        let numbers = numbers(connection, session);
        let Some(newest) = numbers.last() else {
            return Ok(None);
        };
        let calls = "SELECT count(*) FROM call WHERE session = ?1";
        Ok(Some(Self {
            session: session.to_owned(),
            newest: *newest,
            checkpoints: i64::try_from(numbers.len()).unwrap_or(i64::MAX),
            calls: connection.query_row(calls, [session], |row| row.get(0))?,
        }))
    }
}

/// Attributes damage to the session's own row. The newest checkpoint comes from the checkpoints then.
fn in_session(connection: &Connection, failure: StoreFailure, session: &str) -> StoreFailure {
    if !failure.is_damage() {
        return failure;
    }
    let newest = numbers(connection, session).pop();
    let good = last_good(connection, session);
    failure.in_part_of(Damage {
        newest: newest.and_then(|newest| id(newest).ok()),
        ..Damage::of_session(session, DamagedPart::Session, good)
    })
}

fn checkpoint_of(row: &Row<'_>) -> SqlResult<Checkpoint> {
    let damaged = |what: &str, text: &str| StoreFailure::damaged(format!("{what} `{text}`"));
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

/// Returns the checkpoint with this number.
pub(super) fn checkpoint(connection: &Connection, number: i64) -> SqlResult<Option<Checkpoint>> {
    let read = |row: SqlResult<&Row<'_>>| checkpoint_of(row?);
    let found = first(&CHECKPOINT, connection, "WHERE id = ?1", [number], read);
    found.map_err(|failure| {
        // The index holds the session too.
        let sql = "SELECT session FROM checkpoint INDEXED BY checkpoint_of_session WHERE id = ?1";
        let session = connection.query_row(sql, [number], |row| row.get::<_, String>(0));
        let session = session.unwrap_or_default();
        in_checkpoint(connection, failure, &session, number)
    })
}

/// Returns the session's newest checkpoint.
pub(super) fn latest(connection: &Connection, session: &str) -> SqlResult<Option<Checkpoint>> {
    let Some(head) = SessionRow::read(connection, session)? else {
        return Ok(None);
    };
    let read = |row: SqlResult<&Row<'_>>| checkpoint_of(row?);
    let rest = "WHERE id = ?1";
    let found = first(&CHECKPOINT, connection, rest, [head.newest], read).and_then(|found| {
        let found = found.filter(|found| found.session == session);
        found.ok_or_else(|| StoreFailure::damaged("it is missing"))
    });
    let found = found.map_err(|failure| in_checkpoint(connection, failure, session, head.newest));
    found.map(Some)
}

/// Returns all checkpoints of the session, oldest first.
pub(super) fn history(connection: &Connection, session: &str) -> SqlResult<Vec<Checkpoint>> {
    let head = SessionRow::read(connection, session)?;
    let rest = "WHERE session = ?1 ORDER BY id";
    let found = CHECKPOINT.rows(connection, rest, [session], |row| match row {
        Ok(row) => {
            let number = row.get(0)?;
            checkpoint_of(row)
                .map_err(|failure| in_checkpoint(connection, failure, session, number))
        }
        Err(failure) => Err(failure),
    });
    let expected = head.map_or(0, |head| head.checkpoints);
    let found = found.and_then(|found| {
        if i64::try_from(found.len()) == Ok(expected) {
            Ok(found)
        } else {
            let words = format!("{} of its {expected} checkpoints are there", found.len());
            Err(StoreFailure::damaged(words))
        }
    });
    found.map_err(|failure| match which(connection, session) {
        Some(number) => in_checkpoint(connection, failure, session, number),
        None => failure.in_part(
            session,
            DamagedPart::Session,
            last_good(connection, session),
        ),
    })
}

/// Returns the first damaged checkpoint of a session.
fn which(connection: &Connection, session: &str) -> Option<i64> {
    let is_damaged = |number: &i64| {
        let read = |row: SqlResult<&Row<'_>>| checkpoint_of(row?);
        first(&CHECKPOINT, connection, "WHERE id = ?1", [*number], read).is_err()
    };
    numbers(connection, session).into_iter().find(is_damaged)
}

/// Returns the numbers of a session's checkpoints, as far as they can be read.
fn numbers(connection: &Connection, session: &str) -> Vec<i64> {
    let sql = "SELECT id FROM checkpoint WHERE session = ?1 ORDER BY id";
    let found = connection.prepare(sql).and_then(|mut statement| {
        let rows = statement.query_map([session], |row| row.get(0))?;
        Ok(rows.map_while(Result::ok).collect())
    });
    found.unwrap_or_default()
}

/// Returns the newest checkpoint of the session that is not damaged.
fn last_good(connection: &Connection, session: &str) -> Option<CheckpointId> {
    let read = |row: SqlResult<&Row<'_>>| checkpoint_of(row?);
    let whole = |number: &i64| {
        let found = first(&CHECKPOINT, connection, "WHERE id = ?1", [*number], read);
        found.is_ok_and(|found| found.is_some_and(|found| found.session == session))
    };
    let number = numbers(connection, session).into_iter().rev().find(whole)?;
    id(number).ok()
}

fn in_checkpoint(
    connection: &Connection,
    failure: StoreFailure,
    session: &str,
    number: i64,
) -> StoreFailure {
    if !failure.is_damage() {
        return failure;
    }
    let Ok(part) = id(number).map(DamagedPart::Checkpoint) else {
        return failure;
    };
    let newest = SessionRow::read(connection, session).ok().flatten();
    let newest = newest.and_then(|head| head.newest().ok());
    failure.in_part_of(Damage {
        newest,
        ..Damage::of_session(session, part, last_good(connection, session))
    })
}

/// A call record, and its place among the session's records.
pub(super) struct CallRow {
    pub(super) place: i64,
    pub(super) record: CallRecord,
}

impl CallRow {
    fn of(row: SqlResult<&Row<'_>>) -> SqlResult<Self> {
        let row = row?;
        let (call_id, tool, arguments): (String, String, String) =
            (row.get(3)?, row.get(4)?, row.get(5)?);
        Ok(Self {
            place: row.get(2)?,
            record: CallRecord {
                key: row.get(1)?,
                call: ToolCall::new(call_id, tool, arguments),
                model_arguments: row.get(6)?,
                revision: unsigned(row.get(7)?)?,
                after: id(row.get(8)?)?,
                outcome: row.get(9)?,
            },
        })
    }

    pub(super) fn read(
        connection: &Connection,
        session: &str,
        key: &str,
    ) -> SqlResult<Option<Self>> {
        let rest = "WHERE session = ?1 AND key = ?2";
        let found = first(&CALL, connection, rest, [session, key], Self::of);
        found.map_err(|failure| {
            if !failure.is_damage() {
                return failure;
            }
            let good = last_good(connection, session);
            failure.in_part(session, DamagedPart::Call(key.to_owned()), good)
        })
    }

    pub(super) fn list(connection: &Connection, session: &str) -> SqlResult<Vec<CallRecord>> {
        let head = SessionRow::read(connection, session)?;
        let rest = "WHERE session = ?1 ORDER BY place";
        let found = CALL.rows(connection, rest, [session], |row| match row {
            Ok(row) => {
                let key: String = row.get(1)?;
                let part = DamagedPart::Call(key);
                Self::of(Ok(row)).map_err(|failure| failure.in_part(session, part, None))
            }
            Err(failure) => Err(failure),
        });
        let found = found.and_then(|found| {
            let expected = head.map_or(0, |head| head.calls);
            let places = found.iter().map(|one| one.place);
            if places.eq(1..=expected) {
                Ok(found)
            } else {
                let words = format!("{} of its {expected} calls are there", found.len());
                Err(StoreFailure::damaged(words))
            }
        });
        let found = found.map_err(|failure| {
            // Name the record if its key is readable.
            let key = damaged_call(connection, session);
            let part = key.map_or(DamagedPart::Session, DamagedPart::Call);
            failure.in_part(session, part, last_good(connection, session))
        })?;
        Ok(found.into_iter().map(|one| one.record).collect())
    }

    pub(super) fn write(&self, connection: &Connection, session: &str) -> SqlResult<()> {
        let record = &self.record;
        let row = [
            text(session),
            text(&record.key),
            self.place.into(),
            text(&record.call.id),
            text(&record.call.name),
            text(&record.call.arguments),
            record.model_arguments.clone().into(),
            number(record.revision)?.into(),
            number(record.after.get())?.into(),
            record.outcome.clone().into(),
        ];
        CALL.write(connection, &row, false)
    }
}

fn damaged_call(connection: &Connection, session: &str) -> Option<String> {
    let sql = "SELECT key FROM call WHERE session = ?1 ORDER BY key";
    let mut statement = connection.prepare(sql).ok()?;
    let keys = statement.query_map([session], |row| row.get(0)).ok()?;
    let keys: Vec<String> = keys.map_while(Result::ok).collect();
    keys.into_iter()
        .find(|key| CallRow::read(connection, session, key).is_err())
}

/// Copies the rows of the first version's tables to the current ones.
pub(super) fn migrate(transaction: &Transaction<'_>) -> SqlResult<()> {
    let numbers = |sql: &str| -> SqlResult<Vec<i64>> {
        let mut statement = transaction.prepare(sql)?;
        let found = statement.query_map([], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    };
    let row_of = |sql: &str, number: i64, columns: usize| -> SqlResult<Vec<Value>> {
        let mut statement = transaction.prepare(sql)?;
        let row = statement.query_row([number], |row| {
            (0..columns).map(|place| row.get(place)).collect()
        });
        Ok(row?)
    };
    let mut last = 0;
    let mut heads = std::collections::BTreeMap::<String, SessionRow>::new();
    for number in numbers("SELECT id FROM old_checkpoint ORDER BY id")? {
        let sql = "SELECT id, session, parent, written, next, at_ms, metadata, body FROM old_checkpoint WHERE id = ?1";
        let row = row_of(sql, number, 8)?;
        CHECKPOINT.write(transaction, &row, true)?;
        let Some(Value::Text(session)) = row.into_iter().nth(1) else {
            return Err(StoreFailure::damaged("a checkpoint of no session"));
        };
        last = number;
        let head = heads.entry(session.clone()).or_insert(SessionRow {
            session,
            newest: 0,
            checkpoints: 0,
            calls: 0,
        });
        head.newest = number;
        head.checkpoints += 1;
    }
    for number in numbers("SELECT number FROM old_call ORDER BY number")? {
        let sql = "SELECT session, key, 0, id, tool, arguments, NULL, revision, after, outcome FROM old_call WHERE number = ?1";
        let mut row = row_of(sql, number, 10)?;
        let head = match row.first() {
            Some(Value::Text(session)) => heads.get_mut(session),
            _ => None,
        };
        let head = head.ok_or_else(|| StoreFailure::damaged("a call of no session"))?;
        head.calls += 1;
        if let Some(place) = row.get_mut(2) {
            *place = head.calls.into();
        }
        CALL.write(transaction, &row, true)?;
    }
    for head in heads.values() {
        head.write(transaction, true)?;
    }
    let sessions = i64::try_from(heads.len()).unwrap_or(i64::MAX);
    // Numbers are never reused.
    let given = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'old_checkpoint'";
    let given: i64 = transaction.query_row(given, [], |row| row.get(0))?;
    let store = StoreRow {
        last: last.max(given),
        sessions,
    };
    store.write(transaction)
}
