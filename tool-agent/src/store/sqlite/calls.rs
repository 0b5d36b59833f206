//! Rows of call records.

use rusqlite::{Connection, Row};
use toolwright_provider::call::ToolCall;

use super::failure::{SqlResult, StoreFailure};
use super::rows::{SessionRow, first, id, last_good, number, text, unsigned};
use super::table::CALL;
use crate::store::{CallRecord, DamagedPart};

/// A call record, and its place among the session's records.
pub(super) struct RecordRow {
    pub(super) place: i64,
    pub(super) record: CallRecord,
}

impl RecordRow {
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
        .find(|key| RecordRow::read(connection, session, key).is_err())
}
