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
use crate::delta::Delta;
use crate::error::{Done, Failure};
use crate::texts::{Text, Texts};

/// Store that keeps sessions in Postgres, for several machines.
///
/// Each write is one transaction that compares the session's newest checkpoint with the one that the writer knows. Of two machines
/// that continue a session at the same moment one wins, and the other gets a
/// [conflict](CheckpointError::Conflict) before it runs a call. Data is as durable as the server commits it: leave
/// `synchronous_commit` on.
///
/// A checkpoint is stored as what it changes of the one before it, and now and then whole, so that the table grows with a
/// conversation and not with its square. A checksum tells if a row was lost or changed.
///
/// The tables hold all messages, arguments and results as plain text; nothing is encrypted. An id of a session has no NUL.
#[derive(Clone)]
pub struct PostgresCheckpointer {
    database: Database,
    sql: Sql,
    texts: Texts,
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

const CHECKPOINT: &str =
    "id, session, parent, written, next, at_ms, metadata, body, front, back, sum";
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
                 SELECT newest, id, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM head RETURNING id"
            )
        };
        // From the last whole one on.
        let columns = CHECKPOINT.split(", ").map(|column| format!("row.{column}"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let chain = |target: &str| {
            format!(
                "WITH target AS ({target})
                 SELECT {columns} FROM target JOIN {checkpoint} AS row ON row.session = target.session
                 WHERE row.id <= target.id AND row.id >= (
                     SELECT max(whole.id) FROM {checkpoint} AS whole
                     WHERE whole.session = target.session AND whole.id <= target.id AND whole.front IS NULL
                 ) ORDER BY row.id"
            )
        };
        Self {
            first: put(&format!(
                "INSERT INTO {session} (id, newest) VALUES ($1, {number}) ON CONFLICT DO NOTHING"
            )),
            next: put(&format!(
                "UPDATE {session} SET newest = {number} WHERE id = $1 AND newest = $11"
            )),
            newest: format!("SELECT newest FROM {session} WHERE id = $1"),
            locked: format!("SELECT newest FROM {session} WHERE id = $1 FOR SHARE"),
            latest: chain(&format!(
                "SELECT id AS session, newest AS id FROM {session} WHERE id = $1"
            )),
            get: chain(&format!(
                "SELECT session, id FROM {checkpoint} WHERE id = $1"
            )),
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
        Ok(Self {
            database,
            sql,
            texts: Texts::default(),
        })
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

    /// Returns the text of the checkpoint that a new one follows; `None` if it is not the newest.
    async fn before(&self, session: &str, after: CheckpointId) -> Done<Option<Text>> {
        if let Some(text) = self.texts.take(session, after) {
            return Ok(Some(text));
        }
        let rows = self.rows(&self.sql.latest, &[&session]).await?;
        Ok(match Chain::of(&rows, session)? {
            Some(chain) if chain.id == after => Some(chain.text),
            _ => None,
        })
    }

    async fn put_new(&self, new: NewCheckpoint<'_>) -> Done<CheckpointId> {
        let session = named(new.session)?;
        let before = match new.after {
            // A branch leaves damage behind.
            Some(_) if new.written == Written::Branch => None,
            Some(after) => match self.before(session, after).await {
                Err(Failure::Checkpoint(CheckpointError::Damaged(_))) => None,
                before => before?,
            },
            None => None,
        };
        let delta = before.as_ref().and_then(|before| before.next(new.body));
        let parent = new.parent.map(|id| number(id.get())).transpose()?;
        let after = new.after.map(|id| number(id.get())).transpose()?;
        let (written, next) = (new.written.as_str(), new.next.as_str());
        let at_ms = number(new.at_ms)?;
        let metadata = Value::Object(new.metadata.clone()).to_string();
        let body = delta.map_or(new.body, |delta| delta.middle);
        let kept = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
        let (front, back) = (
            delta.map(|delta| kept(delta.front)),
            delta.map(|delta| kept(delta.back)),
        );
        let sum = Text::sum(new.body);
        let mut of: Vec<&(dyn ToSql + Sync)> = vec![
            &session, &parent, &written, &next, &at_ms, &metadata, &body, &front, &back, &sum,
        ];
        let rows = match &after {
            None => self.rows(&self.sql.first, &of).await?,
            Some(after) => {
                of.push(after);
                self.rows(&self.sql.next, &of).await?
            }
        };
        let Some(id) = newest(rows.first())? else {
            return Err(conflict(session, new.after, self.newest(session).await?).into());
        };
        let text = match (before, delta) {
            (Some(mut text), Some(delta)) => text.follow(delta).map(|()| text),
            _ => Some(Text::whole(new.body.to_owned())),
        };
        if let Some(text) = text {
            self.texts.keep(session, id, text);
        }
        Ok(id)
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

fn damaged(session: &str, id: CheckpointId, reason: impl Into<String>) -> Failure {
    let damage = Damage::of_session(session, DamagedPart::Checkpoint(id), None);
    CheckpointError::damaged(damage.with_reason(reason)).into()
}

/// Checkpoints of a session, read one after the other.
struct Chain {
    id: CheckpointId,
    text: Text,
}

impl Chain {
    /// Reads rows from a whole one on. Returns the last one; `None` of no rows.
    fn of(rows: &[Row], session: &str) -> Done<Option<Self>> {
        let mut chain = None;
        for row in rows {
            chain = Some(Self::behind(chain, row, session)?);
        }
        if let (Some(chain), Some(row)) = (&chain, rows.last()) {
            chain.is_whole(row, session)?;
        }
        Ok(chain)
    }

    fn behind(before: Option<Self>, row: &Row, session: &str) -> Done<Self> {
        let id = CheckpointId::new(unsigned(row.try_get(0)?, session)?);
        let body: &str = row.try_get(7)?;
        let (front, back): (Option<i64>, Option<i64>) = (row.try_get(8)?, row.try_get(9)?);
        let text = match (front.zip(back), before) {
            (None, _) => Some(Text::whole(body.to_owned())),
            (Some((front, back)), Some(Self { mut text, .. })) => {
                let kept = usize::try_from(front).ok().zip(usize::try_from(back).ok());
                let delta = kept.map(|(front, back)| Delta {
                    front,
                    back,
                    middle: body,
                });
                delta.and_then(|delta| text.follow(delta)).map(|()| text)
            }
            (Some(_), None) => None,
        };
        match text {
            Some(text) => Ok(Self { id, text }),
            None => Err(damaged(session, id, "what it follows is missing")),
        }
    }

    /// Fails if a row before was lost or changed.
    fn is_whole(&self, row: &Row, session: &str) -> Done<()> {
        if row.try_get::<_, i64>(10)? == Text::sum(&self.text.body) {
            return Ok(());
        }
        Err(damaged(session, self.id, "its checksum is wrong"))
    }

    /// Makes the checkpoint of the last row.
    fn checkpoint(&self, row: &Row, session: &str) -> Done<Checkpoint> {
        let id = self.id;
        let (written, next, metadata): (&str, &str, &str) =
            (row.try_get(3)?, row.try_get(4)?, row.try_get(6)?);
        let wrong = |what: &str, text: &str| damaged(session, id, format!("{what} `{text}`"));
        let written = Written::from_name(written).ok_or_else(|| wrong("the mark", written))?;
        let next = Node::from_name(next).ok_or_else(|| wrong("the node", next))?;
        let metadata: Map<String, Value> =
            serde_json::from_str(metadata).map_err(|_| wrong("the metadata", metadata))?;
        let parent: Option<i64> = row.try_get(2)?;
        let parent = parent.map(|id| unsigned(id, session)).transpose()?;
        Ok(Checkpoint {
            id,
            session: session.to_owned(),
            parent: parent.map(CheckpointId::new),
            written,
            next,
            at_ms: unsigned(row.try_get(5)?, session)?,
            metadata,
            body: self.text.body.clone(),
        })
    }
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
            let (Some(chain), Some(row)) = (Chain::of(&rows, session)?, rows.last()) else {
                // The session may be there all the same.
                return match self.newest(session).await? {
                    None => Ok(None),
                    Some(id) => Err(damaged(session, id, "it is missing").into()),
                };
            };
            let found = chain.checkpoint(row, session)?;
            self.texts.keep(session, chain.id, chain.text);
            Ok(Some(found))
        })
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let rows = self.rows(&self.sql.get, &[&number(id.get())?]).await?;
            let Some(row) = rows.last() else {
                return Ok(None);
            };
            let session: String = row.try_get(1).map_err(Failure::from)?;
            let chain = Chain::of(&rows, &session)?;
            let found = chain.map(|chain| chain.checkpoint(row, &session));
            Ok(found.transpose()?)
        })
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let session = named(session)?;
            let rows = self.rows(&self.sql.history, &[&session]).await?;
            let (mut chain, mut all) = (None, Vec::new());
            for row in &rows {
                let next = Chain::behind(chain, row, session)?;
                next.is_whole(row, session)?;
                all.push(next.checkpoint(row, session)?);
                chain = Some(next);
            }
            Ok(all)
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
