use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use toolwright::ToolCall;
use toolwright::agent::{
    Begin, Begun, BoxFuture, CallRecord, Checkpoint, CheckpointError, CheckpointId, Checkpointer,
    Damage, DamagedPart, NewCheckpoint, Node, Written,
};

use crate::Database;
use crate::error::{Done, Failure};

/// Store that keeps sessions in Postgres, for several machines.
///
/// Each write is one transaction that compares the session's newest checkpoint with the one that the writer knows. Of two machines
/// that continue a session at the same moment one wins, and the other gets a
/// [conflict](CheckpointError::Conflict) before it runs a call. Data is as durable as the server commits it: leave
/// `synchronous_commit` on.
///
/// The tables hold all messages, arguments and results as plain text; nothing is encrypted. An id of a session has no NUL.
#[derive(Clone)]
pub struct PostgresCheckpointer {
    database: Database,
    sql: Sql,
}

/// The statements, with the name of the schema.
#[derive(Clone)]
struct Sql {
    first: String,
    next: String,
    newest: String,
    locked: String,
    latest: String,
    get: String,
    history: String,
    sessions: String,
    delete: String,
    replace: String,
    begin: String,
    call: String,
    end: String,
    calls: String,
}

const CHECKPOINT: &str = "id, session, parent, written, next, at_ms, metadata, body";
const CALL: &str = "key, record, revision, after, outcome";

impl Sql {
    fn of(schema: &str) -> Self {
        let checkpoint = format!("{schema}.checkpoint");
        let (session, call) = (format!("{schema}.session"), format!("{schema}.call"));
        let number = format!("nextval('{schema}.checkpoint_number')");
        // What a row of `head` is there for is done in the same statement.
        let put = |head: &str| {
            format!(
                "WITH head AS ({head} RETURNING id, newest)
                 INSERT INTO {checkpoint} ({CHECKPOINT})
                 SELECT newest, id, $2, $3, $4, $5, $6, $7 FROM head RETURNING id"
            )
        };
        Self {
            first: put(&format!(
                "INSERT INTO {session} (id, newest) VALUES ($1, {number}) ON CONFLICT DO NOTHING"
            )),
            next: put(&format!(
                "UPDATE {session} SET newest = {number} WHERE id = $1 AND newest = $8"
            )),
            newest: format!("SELECT newest FROM {session} WHERE id = $1"),
            locked: format!("SELECT newest FROM {session} WHERE id = $1 FOR SHARE"),
            latest: format!(
                "SELECT {CHECKPOINT} FROM {checkpoint} WHERE id = (SELECT newest FROM {session} WHERE id = $1)"
            ),
            get: format!("SELECT {CHECKPOINT} FROM {checkpoint} WHERE id = $1"),
            history: format!("SELECT {CHECKPOINT} FROM {checkpoint} WHERE session = $1 ORDER BY id"),
            sessions: format!(
                "SELECT id FROM {session} WHERE $1::text IS NULL OR id > $1 ORDER BY id LIMIT $2"
            ),
            delete: format!("DELETE FROM {session} WHERE id = $1"),
            replace: format!(
                "UPDATE {call} SET record = $3, after = $4, revision = revision + 1, outcome = NULL
                 WHERE session = $1 AND key = $2 AND revision = $5 RETURNING revision"
            ),
            begin: format!(
                "INSERT INTO {call} (session, key, record, after, revision) VALUES ($1, $2, $3, $4, 1)
                 ON CONFLICT DO NOTHING RETURNING revision"
            ),
            call: format!("SELECT {CALL} FROM {call} WHERE session = $1 AND key = $2"),
            end: format!(
                "UPDATE {call} SET outcome = $4, revision = revision + 1
                 WHERE session = $1 AND key = $2 AND revision = $3"
            ),
            calls: format!("SELECT {CALL} FROM {call} WHERE session = $1 ORDER BY number"),
        }
    }
}

/// The stored form of a call, in which no text has a NUL.
#[derive(Serialize, Deserialize)]
struct StoredCall {
    call: ToolCall,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model_arguments: Option<String>,
}

impl PostgresCheckpointer {
    /// Opens the store.
    ///
    /// # Errors
    /// [`CheckpointError::Unreadable`] if the tables are not there in this version: see
    /// [`Database::migrate`]. [`CheckpointError::Store`] if the database fails.
    pub async fn open(database: Database) -> Result<Self, CheckpointError> {
        database.is_current().await?;
        let sql = Sql::of(database.schema_name());
        Ok(Self { database, sql })
    }

    async fn rows(&self, sql: &str, of: &[&(dyn ToSql + Sync)]) -> Done<Vec<Row>> {
        let client = self.database.client().await?;
        let statement = client.prepare_cached(sql).await?;
        Ok(client.query(&statement, of).await?)
    }

    async fn count(&self, sql: &str, of: &[&(dyn ToSql + Sync)]) -> Done<u64> {
        let client = self.database.client().await?;
        let statement = client.prepare_cached(sql).await?;
        Ok(client.execute(&statement, of).await?)
    }

    async fn newest(&self, session: &str) -> Done<Option<CheckpointId>> {
        let rows = self.rows(&self.sql.newest, &[&session]).await?;
        newest(rows.first())
    }

    async fn put_new(&self, new: NewCheckpoint<'_>) -> Done<CheckpointId> {
        let session = named(new.session)?;
        let parent = new.parent.map(|id| number(id.get())).transpose()?;
        let (written, next) = (new.written.as_str(), new.next.as_str());
        let at_ms = number(new.at_ms)?;
        let metadata = Value::Object(new.metadata.clone()).to_string();
        let of: [&(dyn ToSql + Sync); 7] = [
            &session, &parent, &written, &next, &at_ms, &metadata, &new.body,
        ];
        let rows = match new.after {
            None => self.rows(&self.sql.first, &of).await?,
            Some(after) => {
                let after = number(after.get())?;
                let [session, parent, written, next, at_ms, metadata, body] = of;
                let of = [
                    session, parent, written, next, at_ms, metadata, body, &after,
                ];
                self.rows(&self.sql.next, &of).await?
            }
        };
        match newest(rows.first())? {
            Some(id) => Ok(id),
            None => Err(conflict(session, new.after, self.newest(session).await?).into()),
        }
    }

    async fn begin(&self, begin: Begin<'_>) -> Done<Begun> {
        let session = named(begin.session)?;
        let stored = StoredCall {
            call: begin.call.clone(),
            model_arguments: begin.model_arguments.map(str::to_owned),
        };
        let stored = serde_json::to_string(&stored)
            .map_err(|error| CheckpointError::store_with("a call cannot be written", error))?;
        let (key, after) = (begin.key.as_bytes(), number(begin.after.get())?);
        let mut client = self.database.client().await?;
        let transaction = client.transaction().await?;
        // Nobody continues the session before the record is there.
        let statement = transaction.prepare_cached(&self.sql.locked).await?;
        let found = transaction.query_opt(&statement, &[&session]).await?;
        let found = newest(found.as_ref())?;
        if found != Some(begin.after) {
            return Err(conflict(session, Some(begin.after), found).into());
        }
        let mut recorded = None;
        if let Some(replaces) = begin.replaces {
            let replaces = number(replaces)?;
            let statement = transaction.prepare_cached(&self.sql.replace).await?;
            let of: [&(dyn ToSql + Sync); 5] = [&session, &key, &stored, &after, &replaces];
            recorded = transaction.query_opt(&statement, &of).await?;
        }
        if recorded.is_none() {
            let statement = transaction.prepare_cached(&self.sql.begin).await?;
            let of: [&(dyn ToSql + Sync); 4] = [&session, &key, &stored, &after];
            recorded = transaction.query_opt(&statement, &of).await?;
        }
        let what = match recorded {
            Some(row) => Begun::Recorded(unsigned(row.try_get(0)?, session)?),
            None => {
                let statement = transaction.prepare_cached(&self.sql.call).await?;
                let standing = transaction.query_one(&statement, &[&session, &key]).await?;
                Begun::Standing(call(&standing, session)?)
            }
        };
        transaction.commit().await?;
        Ok(what)
    }
}

/// Refuses what no text of Postgres holds.
fn named(session: &str) -> Result<&str, CheckpointError> {
    if session.contains('\0') {
        let words =
            format!("the session's id {session:?} has a NUL, which Postgres does not store");
        return Err(CheckpointError::store(words));
    }
    Ok(session)
}

fn number(number: u64) -> Result<i64, CheckpointError> {
    let words = |_| CheckpointError::store(format!("{number} is too large a number"));
    i64::try_from(number).map_err(words)
}

fn unsigned(number: i64, session: &str) -> Result<u64, CheckpointError> {
    u64::try_from(number).map_err(|_| {
        let reason = format!("{number} where no sign may be");
        let damage = Damage::of_session(session, DamagedPart::Session, None);
        CheckpointError::damaged(damage.with_reason(reason))
    })
}

/// The number of a checkpoint in a row's first column.
fn newest(row: Option<&Row>) -> Done<Option<CheckpointId>> {
    let Some(row) = row else { return Ok(None) };
    let id = unsigned(row.try_get(0)?, "")?;
    Ok(Some(CheckpointId::new(id)))
}

fn conflict(
    session: &str,
    expected: Option<CheckpointId>,
    found: Option<CheckpointId>,
) -> CheckpointError {
    CheckpointError::Conflict {
        session: session.to_owned(),
        expected,
        found,
    }
}

fn checkpoint(row: &Row) -> Done<Checkpoint> {
    let session: String = row.try_get(1)?;
    let id = CheckpointId::new(unsigned(row.try_get(0)?, &session)?);
    let (written, next, metadata): (String, String, String) =
        (row.try_get(3)?, row.try_get(4)?, row.try_get(6)?);
    let damaged = |what: &str, text: &str| {
        let damage = Damage::of_session(&*session, DamagedPart::Checkpoint(id), None);
        Failure::from(CheckpointError::damaged(
            damage.with_reason(format!("{what} `{text}`")),
        ))
    };
    let written = Written::from_name(&written).ok_or_else(|| damaged("the mark", &written))?;
    let next = Node::from_name(&next).ok_or_else(|| damaged("the node", &next))?;
    let metadata: Map<String, Value> =
        serde_json::from_str(&metadata).map_err(|_| damaged("the metadata", &metadata))?;
    let parent: Option<i64> = row.try_get(2)?;
    let parent = parent.map(|id| unsigned(id, &session)).transpose()?;
    let at_ms = unsigned(row.try_get(5)?, &session)?;
    Ok(Checkpoint {
        id,
        session,
        parent: parent.map(CheckpointId::new),
        written,
        next,
        at_ms,
        metadata,
        body: row.try_get(7)?,
    })
}

fn call(row: &Row, session: &str) -> Done<CallRecord> {
    let key: &[u8] = row.try_get(0)?;
    let key = String::from_utf8_lossy(key).into_owned();
    let stored: &str = row.try_get(1)?;
    let stored: StoredCall = serde_json::from_str(stored).map_err(|error| {
        let damage = Damage::of_session(session, DamagedPart::Call(key.clone()), None);
        CheckpointError::damaged(damage.with_reason(error.to_string()))
    })?;
    Ok(CallRecord {
        key,
        call: stored.call,
        model_arguments: stored.model_arguments,
        revision: unsigned(row.try_get(2)?, session)?,
        after: CheckpointId::new(unsigned(row.try_get(3)?, session)?),
        outcome: row.try_get(4)?,
    })
}

impl Checkpointer for PostgresCheckpointer {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        Box::pin(async move { Ok(self.put_new(new).await?) })
    }

    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let session = named(session)?;
            let rows = self.rows(&self.sql.latest, &[&session]).await?;
            Ok(rows.first().map(checkpoint).transpose()?)
        })
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let rows = self.rows(&self.sql.get, &[&number(id.get())?]).await?;
            Ok(rows.first().map(checkpoint).transpose()?)
        })
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let session = named(session)?;
            let rows = self.rows(&self.sql.history, &[&session]).await?;
            let all: Done<Vec<_>> = rows.iter().map(checkpoint).collect();
            Ok(all?)
        })
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        Box::pin(async move {
            let after = after.map(named).transpose()?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = self.rows(&self.sql.sessions, &[&after, &most]).await?;
            let all = rows.iter().map(|row| row.try_get(0).map_err(Failure::from));
            let all: Done<Vec<_>> = all.collect();
            Ok(all?)
        })
    }

    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move {
            let session = named(session)?;
            Ok(self.count(&self.sql.delete, &[&session]).await? > 0)
        })
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        Box::pin(async move { Ok(self.begin(begin).await?) })
    }

    fn end_call<'a>(
        &'a self,
        session: &'a str,
        key: &'a str,
        revision: u64,
        outcome: &'a str,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            let (session, key, revision) = (named(session)?, key.as_bytes(), number(revision)?);
            self.count(&self.sql.end, &[&session, &key, &revision, &outcome])
                .await?;
            Ok(())
        })
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        Box::pin(async move {
            let session = named(session)?;
            let rows = self.rows(&self.sql.calls, &[&session]).await?;
            let all: Done<Vec<_>> = rows.iter().map(|row| call(row, session)).collect();
            Ok(all?)
        })
    }
}

impl fmt::Debug for PostgresCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresCheckpointer")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
