//! Rows of the tables as Rust values.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row};

use super::failure::{SqlResult, StoreFailure};
use super::table::{CHECKPOINT, MESSAGE, SESSION, STORE, SummedTable};
use crate::store::delta::{Chain, CheckpointRow};
use crate::store::{
    Checkpoint, CheckpointError, CheckpointId, Damage, DamagedPart, Keep, SessionHead,
};

/// Converts a number to SQLite's signed 64 bits.
pub(super) fn number(number: u64) -> SqlResult<i64> {
    let words = |_| StoreFailure::Checkpoint(CheckpointError::store("a number is too large"));
    i64::try_from(number).map_err(words)
}

pub(super) fn unsigned(number: i64) -> SqlResult<u64> {
    let words = |_| StoreFailure::damaged(format!("{number} where no sign may be"));
    u64::try_from(number).map_err(words)
}

pub(super) fn id(number: i64) -> SqlResult<CheckpointId> {
    unsigned(number).map(CheckpointId::new)
}

/// Returns the time in milliseconds since 1970, by the machine's clock.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn text(text: &str) -> Value {
    text.to_owned().into()
}

/// Returns the first row.
pub(super) fn first<T>(
    table: &SummedTable,
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
#[derive(Default)]
pub(super) struct SessionRow {
    pub(super) session: String,
    pub(super) newest: i64,
    pub(super) checkpoints: i64,
    pub(super) calls: i64,
    /// Session whose call runs the agent of this one.
    pub(super) caller: Option<String>,
    /// Newest lease.
    pub(super) lease: Option<i64>,
    /// End of the lease, in milliseconds since 1970.
    pub(super) lease_until: Option<i64>,
}

impl SessionRow {
    fn of(row: SqlResult<&Row<'_>>) -> SqlResult<Self> {
        let row = row?;
        Ok(Self {
            session: row.get(0)?,
            newest: row.get(1)?,
            checkpoints: row.get(2)?,
            calls: row.get(3)?,
            caller: row.get(4)?,
            lease: row.get(5)?,
            lease_until: row.get(6)?,
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
            self.caller.clone().into(),
            self.lease.into(),
            self.lease_until.into(),
        ];
        SESSION.write(connection, &row, is_new)
    }

    pub(super) fn newest(&self) -> SqlResult<CheckpointId> {
        id(self.newest)
    }

    pub(super) fn head(&self) -> SqlResult<SessionHead> {
        Ok(SessionHead {
            newest: self.newest()?,
            lease: self.standing()?,
        })
    }

    /// Returns the newest lease and the time that it has left.
    pub(super) fn standing(&self) -> SqlResult<Option<(CheckpointId, Duration)>> {
        let Some((lease, until)) = self.lease.zip(self.lease_until) else {
            return Ok(None);
        };
        let left = u64::try_from(until.saturating_sub(now())).unwrap_or_default();
        Ok(Some((id(lease)?, Duration::from_millis(left))))
    }

    /// Keeps a lease for this time from now. A time of zero releases it.
    pub(super) fn keep(&mut self, lease: i64, term: Duration) {
        let term = i64::try_from(term.as_millis()).unwrap_or(i64::MAX);
        let is_kept = term > 0;
        self.lease = is_kept.then_some(lease);
        self.lease_until = is_kept.then(|| now().saturating_add(term));
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
            ..Self::default()
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

/// Checkpoints of a session, read one after the other from a whole one on.
struct Walk<'c> {
    connection: &'c Connection,
    session: &'c str,
    chain: Option<Chain>,
}

impl<'c> Walk<'c> {
    const fn new(connection: &'c Connection, session: &'c str) -> Self {
        Self {
            connection,
            session,
            chain: None,
        }
    }

    /// Returns the checkpoint with this number, and the chain that ends with it.
    fn to(
        connection: &'c Connection,
        session: &'c str,
        number: i64,
    ) -> SqlResult<(Checkpoint, Chain)> {
        let mut walk = Self::before(connection, session, number)?;
        let found = walk.checkpoint(number)?;
        let chain = walk
            .chain
            .ok_or_else(|| StoreFailure::damaged("it is missing"))?;
        Ok((found, chain))
    }

    /// Reads the checkpoints that the one with this number is put together from.
    fn before(connection: &'c Connection, session: &'c str, number: i64) -> SqlResult<Self> {
        let sql = "SELECT id FROM checkpoint WHERE session = ?1 AND id < ?2 AND id >= (
                SELECT max(id) FROM checkpoint WHERE session = ?1 AND id <= ?2 AND front IS NULL
            ) ORDER BY id";
        let mut before = connection.prepare(sql)?;
        let before = before.query_map((session, number), |row| row.get(0))?;
        let before: Vec<i64> = before.collect::<Result<_, _>>()?;
        let mut walk = Self::new(connection, session);
        for number in before {
            walk.at(number, |_, _| Ok(()))?;
        }
        Ok(walk)
    }

    /// Stores the checkpoint with this number as a whole text: it follows nothing from now on.
    fn make_whole(&mut self, number: i64) -> SqlResult<()> {
        let row = self.at(number, |row, chain| {
            checkpoint_of(row, chain)?;
            let mut values = (0..11)
                .map(|place| row.get(place))
                .collect::<Result<Vec<Value>, _>>()?;
            values.splice(7..10, [text(chain.text()), Value::Null, Value::Null]);
            Ok(values)
        })?;
        CHECKPOINT.write(self.connection, &row, false)
    }

    fn checkpoint(&mut self, number: i64) -> SqlResult<Checkpoint> {
        self.at(number, checkpoint_of)
    }

    /// Returns true if the checkpoint with this number is not damaged.
    fn is_good(&mut self, number: i64) -> bool {
        self.try_at(number, checkpoint_of).is_ok()
    }

    /// Reads the checkpoint with this number, which follows the one before. Damage is that of this checkpoint.
    fn at<T>(
        &mut self,
        number: i64,
        read: impl Fn(&Row<'_>, &Chain) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let found = self.try_at(number, read);
        found.map_err(|failure| in_checkpoint(self.connection, failure, self.session, number))
    }

    fn try_at<T>(
        &mut self,
        number: i64,
        read: impl Fn(&Row<'_>, &Chain) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let (connection, session) = (self.connection, self.session);
        let before = self.chain.take();
        let step = std::cell::Cell::new(before);
        let found = first(&CHECKPOINT, connection, "WHERE id = ?1", [number], |row| {
            let row = row?;
            let columns = columns(row)?;
            if columns.session != session {
                return Err(StoreFailure::damaged("it is another session's"));
            }
            let chain = columns.chain(step.take()).map_err(StoreFailure::damaged)?;
            let found = read(row, &chain)?;
            Ok((found, chain))
        });
        let (found, chain) = found?.ok_or_else(|| StoreFailure::damaged("it is missing"))?;
        self.chain = Some(chain);
        Ok(found)
    }
}

fn columns<'r>(row: &'r Row<'_>) -> SqlResult<CheckpointRow<'r>> {
    let text = |place| -> SqlResult<&str> {
        let text = row.get_ref(place)?.as_str();
        Ok(text.map_err(rusqlite::Error::from)?)
    };
    Ok(CheckpointRow {
        id: row.get(0)?,
        session: text(1)?,
        parent: row.get(2)?,
        written: text(3)?,
        next: text(4)?,
        at_ms: row.get(5)?,
        metadata: text(6)?,
        body: text(7)?,
        front: row.get(8)?,
        back: row.get(9)?,
        sum: row.get(10)?,
    })
}

fn checkpoint_of(row: &Row<'_>, chain: &Chain) -> SqlResult<Checkpoint> {
    columns(row)?
        .checkpoint(chain)
        .map_err(StoreFailure::damaged)
}

/// Returns the checkpoint with this number.
pub(super) fn checkpoint(connection: &Connection, number: i64) -> SqlResult<Option<Checkpoint>> {
    let read = |row: SqlResult<&Row<'_>>| Ok(row?.get::<_, String>(1)?);
    let session = first(&CHECKPOINT, connection, "WHERE id = ?1", [number], read);
    let session = session.map_err(|failure| {
        // The index holds the session too.
        let sql = "SELECT session FROM checkpoint INDEXED BY checkpoint_of_session WHERE id = ?1";
        let session = connection.query_row(sql, [number], |row| row.get::<_, String>(0));
        let session = session.unwrap_or_default();
        in_checkpoint(connection, failure, &session, number)
    })?;
    let Some(session) = session else {
        return Ok(None);
    };
    let (found, _) = Walk::to(connection, &session, number)?;
    Ok(Some(found))
}

/// Returns the session's newest checkpoint, and its chain.
pub(super) fn latest(
    connection: &Connection,
    session: &str,
) -> SqlResult<Option<(Checkpoint, Chain)>> {
    let head = SessionRow::read(connection, session)?;
    head.map(|head| Walk::to(connection, session, head.newest))
        .transpose()
}

/// Returns all checkpoints of the session, oldest first.
pub(super) fn history(connection: &Connection, session: &str) -> SqlResult<Vec<Checkpoint>> {
    let head = SessionRow::read(connection, session)?;
    let mut walk = Walk::new(connection, session);
    let all = numbers(connection, session).into_iter();
    let found = all.map(|number| walk.checkpoint(number));
    let found: Vec<_> = found.collect::<SqlResult<_>>()?;
    let expected = head.map_or(0, |head| head.checkpoints);
    if i64::try_from(found.len()) == Ok(expected) {
        return Ok(found);
    }
    let words = format!("{} of its {expected} checkpoints are there", found.len());
    let good = last_good(connection, session);
    Err(StoreFailure::damaged(words).in_part(session, DamagedPart::Session, good))
}

/// Deletes the oldest checkpoints of the session that are not to be kept.
pub(super) fn prune(connection: &Connection, session: &str, keep: Keep) -> SqlResult<usize> {
    let Some(mut head) = SessionRow::read(connection, session)? else {
        return Ok(0);
    };
    let sql = "SELECT id, at_ms FROM checkpoint WHERE session = ?1 ORDER BY id";
    let mut statement = connection.prepare(sql)?;
    let all = statement.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let all: Vec<(i64, i64)> = all.collect::<Result<_, _>>()?;
    let times = all
        .iter()
        .map(|(_, at_ms)| u64::try_from(*at_ms).unwrap_or_default());
    let dropped = keep.drops(times);
    let Some((oldest, _)) = all.get(dropped).filter(|_| dropped > 0) else {
        return Ok(0);
    };
    let mut walk = Walk::new(connection, session);
    for (number, _) in all.iter().take(dropped) {
        walk.at(*number, |_, _| Ok(()))?;
    }
    walk.make_whole(*oldest)?;
    let sql = "DELETE FROM checkpoint WHERE session = ?1 AND id < ?2";
    connection.execute(sql, (session, oldest))?;
    head.checkpoints -= i64::try_from(dropped).unwrap_or_default();
    head.write(connection, false)?;
    Ok(dropped)
}

/// Deletes one checkpoint of the session, unless it is the newest one.
pub(super) fn delete_checkpoint(
    connection: &Connection,
    session: &str,
    number: i64,
) -> SqlResult<bool> {
    let Some(mut head) = SessionRow::read(connection, session)? else {
        return Ok(false);
    };
    let sql = "SELECT min(id) FROM checkpoint WHERE session = ?1 AND id > ?2";
    let next: Option<i64> = connection.query_row(sql, (session, number), |row| row.get(0))?;
    let Some(next) = next else {
        return Ok(false);
    };
    Walk::before(connection, session, next)?.make_whole(next)?;
    let sql = "DELETE FROM checkpoint WHERE session = ?1 AND id = ?2";
    let deleted = connection.execute(sql, (session, number))?;
    head.checkpoints -= i64::try_from(deleted).unwrap_or_default();
    head.write(connection, false)?;
    Ok(deleted > 0)
}

/// Adds a message to the inbox of a session. Returns false if there is no such session.
pub(super) fn send(connection: &Connection, session: &str, message: String) -> SqlResult<bool> {
    if SessionRow::read(connection, session)?.is_none() {
        return Ok(false);
    }
    let last = "SELECT coalesce(max(number), 0) FROM message WHERE session = ?1";
    let last: i64 = connection.query_row(last, [session], |row| row.get(0))?;
    let row = [text(session), (last + 1).into(), message.into()];
    MESSAGE.write(connection, &row, true)?;
    Ok(true)
}

/// Returns messages of the inbox of a session.
pub(super) fn inbox(
    connection: &Connection,
    session: &str,
    after: i64,
    most: i64,
) -> SqlResult<Vec<String>> {
    let mut last = after;
    let rest = "WHERE session = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
    let found = MESSAGE.rows(connection, rest, (session, after, most), |row| {
        let row = row?;
        last += 1;
        if row.get::<_, i64>(1)? == last {
            Ok(row.get(2)?)
        } else {
            Err(StoreFailure::damaged("a message of its inbox is missing"))
        }
    });
    found.map_err(|failure| {
        failure.in_part(
            session,
            DamagedPart::Session,
            last_good(connection, session),
        )
    })
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
pub(super) fn last_good(connection: &Connection, session: &str) -> Option<CheckpointId> {
    let mut walk = Walk::new(connection, session);
    let all = numbers(connection, session).into_iter();
    let number = all.filter(|number| walk.is_good(*number)).last()?;
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
