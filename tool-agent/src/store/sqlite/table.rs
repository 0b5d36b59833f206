//! Tables of the file, and the checksum of each row.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Params, Row, params_from_iter};
use sha2::{Digest, Sha256};

use super::failure::{SqlResult, StoreFailure};

/// A table whose last column is the checksum of the others.
pub(super) struct SummedTable {
    pub(super) name: &'static str,
    columns: &'static str,
}

/// Single row of the store: the number assigned last, and the number of sessions.
pub(super) const STORE: SummedTable = SummedTable {
    name: "store",
    columns: "id, last, sessions",
};

/// One row per session: its newest checkpoint, and the number of its rows in the other tables. Missing rows are
/// detected by it.
pub(super) const SESSION: SummedTable = SummedTable {
    name: "session",
    columns: "id, newest, checkpoints, calls, caller, lease, lease_until",
};

pub(super) const CHECKPOINT: SummedTable = SummedTable {
    name: "checkpoint",
    columns: "id, session, parent, written, next, at_ms, metadata, body, front, back, sum",
};

/// One row per call. `place` orders the calls of a session by the time at which they first began.
pub(super) const CALL: SummedTable = SummedTable {
    name: "call",
    columns: "session, key, place, id, tool, arguments, model_arguments, revision, after, outcome",
};

/// One row per message of an inbox. `number` counts the messages of a session from 1.
pub(super) const MESSAGE: SummedTable = SummedTable {
    name: "message",
    columns: "session, number, text",
};

impl SummedTable {
    /// Reads the rows that match `rest`. `read` gets an error for a row with a wrong checksum.
    pub(super) fn rows<T>(
        &self,
        connection: &Connection,
        rest: &str,
        of: impl Params,
        mut read: impl FnMut(SqlResult<&Row<'_>>) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        let (columns, name) = (self.columns, self.name);
        let sql = format!("SELECT {columns}, checksum FROM {name} {rest}");
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query(of)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(self.checked(row))?);
        }
        Ok(found)
    }

    fn checked<'r, 's>(&self, row: &'r Row<'s>) -> SqlResult<&'r Row<'s>> {
        let values = row.as_ref().column_count().saturating_sub(1);
        let sum: i64 = row.get(values)?;
        let values = (0..values).map(|place| row.get_ref(place));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        if sum == self.sum(values) {
            Ok(row)
        } else {
            Err(StoreFailure::damaged("its checksum is wrong"))
        }
    }

    /// Inserts a row, or replaces the one with the same key.
    pub(super) fn write(
        &self,
        connection: &Connection,
        row: &[Value],
        is_new: bool,
    ) -> SqlResult<()> {
        let verb = if is_new { "INSERT" } else { "REPLACE" };
        self.write_with(connection, row, verb, self.sum_of(row))
    }

    /// Inserts a row that is damaged, and stays so.
    pub(super) fn write_damaged(&self, connection: &Connection, row: &[Value]) -> SqlResult<()> {
        self.write_with(connection, row, "INSERT", !self.sum_of(row))
    }

    fn write_with(
        &self,
        connection: &Connection,
        row: &[Value],
        verb: &str,
        sum: i64,
    ) -> SqlResult<()> {
        let (columns, name) = (self.columns, self.name);
        let places = vec!["?"; row.len() + 1].join(", ");
        let sql = format!("{verb} INTO {name} ({columns}, checksum) VALUES ({places})");
        let sum = Value::from(sum);
        let row = row.iter().chain(std::iter::once(&sum));
        connection.prepare(&sql)?.execute(params_from_iter(row))?;
        Ok(())
    }

    /// Returns the checksum of a row.
    pub(super) fn sum_of(&self, row: &[Value]) -> i64 {
        self.sum(row.iter().map(ValueRef::from))
    }

    /// Returns the first eight bytes of the SHA-256 of the table's name and the row's values. Each value is prefixed
    /// with its kind and length, so that the encoding is unambiguous.
    fn sum<'v>(&self, values: impl IntoIterator<Item = ValueRef<'v>>) -> i64 {
        let mut hash = Sha256::new();
        let mut add = |kind: u8, bytes: &[u8]| {
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(b't', self.name.as_bytes());
        for value in values {
            match value {
                ValueRef::Null => add(b'n', &[]),
                ValueRef::Integer(number) => add(b'i', &number.to_le_bytes()),
                ValueRef::Real(number) => add(b'r', &number.to_le_bytes()),
                ValueRef::Text(text) => add(b's', text),
                ValueRef::Blob(bytes) => add(b'b', bytes),
            }
        }
        let hash = hash.finalize();
        let first = hash.first_chunk().copied().unwrap_or_default();
        i64::from_le_bytes(first)
    }
}
