//! Files of older versions.

use std::collections::BTreeMap;

use rusqlite::Transaction;
use rusqlite::types::Value;

use super::failure::{SqlResult, StoreFailure};
use super::rows::{SessionRow, StoreRow};
use super::table::{CALL, CHECKPOINT, SESSION, STORE, SummedTable};
use crate::store::delta::Chain;

/// Copies the rows of the first version, which had no checksums and two tables.
pub(super) fn from_first(transaction: &Transaction<'_>) -> SqlResult<()> {
    let mut last = 0;
    let mut heads = BTreeMap::<String, SessionRow>::new();
    for number in numbers(transaction, "SELECT id FROM old_checkpoint ORDER BY id")? {
        let sql = "SELECT id, session, parent, written, next, at_ms, metadata, body FROM old_checkpoint WHERE id = ?1";
        let row = whole(row(transaction, sql, number, 8)?);
        CHECKPOINT.write(transaction, &row, true)?;
        let Some(Value::Text(session)) = row.into_iter().nth(1) else {
            return Err(StoreFailure::damaged("a checkpoint of no session"));
        };
        last = number;
        let head = heads.entry(session.clone()).or_insert_with(|| SessionRow {
            session,
            ..SessionRow::default()
        });
        head.newest = number;
        head.checkpoints += 1;
    }
    for number in numbers(transaction, "SELECT number FROM old_call ORDER BY number")? {
        let sql = "SELECT session, key, 0, id, tool, arguments, NULL, revision, after, outcome FROM old_call WHERE number = ?1";
        let mut row = row(transaction, sql, number, 10)?;
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

/// Copies the rows of the second version, whose checkpoints were whole. What was damaged stays so.
pub(super) fn from_second(transaction: &Transaction<'_>) -> SqlResult<()> {
    let as_it_is = |row| row;
    let without_lease = |mut row: Vec<Value>| {
        row.extend([Value::Null, Value::Null, Value::Null]);
        row
    };
    copy(transaction, &STORE, "id, last, sessions", as_it_is)?;
    let of_session = "id, newest, checkpoints, calls";
    copy(transaction, &SESSION, of_session, without_lease)?;
    let of_checkpoint = "id, session, parent, written, next, at_ms, metadata, body";
    copy(transaction, &CHECKPOINT, of_checkpoint, whole)?;
    let of_call =
        "session, key, place, id, tool, arguments, model_arguments, revision, after, outcome";
    copy(transaction, &CALL, of_call, as_it_is)
}

/// Copies the rows of a table that had these columns.
fn copy(
    transaction: &Transaction<'_>,
    table: &SummedTable,
    columns: &str,
    into: impl Fn(Vec<Value>) -> Vec<Value>,
) -> SqlResult<()> {
    let old = format!("old_{}", table.name);
    let sql = format!("SELECT {columns}, checksum FROM {old} WHERE rowid = ?1");
    let places = columns.split(", ").count() + 1;
    for number in numbers(
        transaction,
        &format!("SELECT rowid FROM {old} ORDER BY rowid"),
    )? {
        let mut row = row(transaction, &sql, number, places)?;
        let sum = row.pop();
        let is_damaged = sum != Some(Value::Integer(table.sum_of(&row)));
        let row = into(row);
        if is_damaged {
            table.write_damaged(transaction, &row)?;
        } else {
            table.write(transaction, &row, true)?;
        }
    }
    Ok(())
}

/// Adds to a checkpoint's row what it has as a whole one.
fn whole(mut row: Vec<Value>) -> Vec<Value> {
    let sum = match row.last() {
        Some(Value::Text(body)) => Chain::new(body.clone()).sum(),
        _ => 0,
    };
    row.extend([Value::Null, Value::Null, sum.into()]);
    row
}

fn numbers(transaction: &Transaction<'_>, sql: &str) -> SqlResult<Vec<i64>> {
    let mut statement = transaction.prepare(sql)?;
    let found = statement.query_map([], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}

fn row(
    transaction: &Transaction<'_>,
    sql: &str,
    number: i64,
    columns: usize,
) -> SqlResult<Vec<Value>> {
    let mut statement = transaction.prepare(sql)?;
    let row = statement.query_row([number], |row| {
        (0..columns).map(|place| row.get(place)).collect()
    });
    Ok(row?)
}
