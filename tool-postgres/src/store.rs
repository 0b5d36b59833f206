use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use toolwright::ToolCall;
use toolwright::agent::{
    Begin, Begun, BoxFuture, CallRecord, Checkpoint, CheckpointError, CheckpointId, Checkpointer,
    Damage, DamagedPart, End, Keep, Lease, NewCheckpoint, Node, Written,
};

use toolwright::agent::delta::{Chain, Chains, Delta};

use crate::Database;
use crate::error::{Done, Failure};

/// Store that keeps sessions in Postgres, for several machines.
///
/// Each write is one transaction that compares the session's newest checkpoint with the one that the writer knows. Of two machines
/// that continue a session at the same moment one wins, and the other gets a
/// [conflict](CheckpointError::Conflict) before it runs a call. A run holds the [lease](Lease) of its session for 30 seconds,
/// and renews it while it goes on: see [`with_lease`](Self::with_lease). Data is as durable as the server commits it: leave
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
    chains: Chains,
    term: Option<Duration>,
}

/// The statements, with the name of the schema.
#[derive(Clone)]
struct Sql {
    first: String,
    next: String,
    head: String,
    locked: String,
    owned: String,
    renew: String,
    release: String,
    prunable: String,
    until: String,
    whole: String,
    prune: String,
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
/// Time of a lease.
const LEASE: Duration = Duration::from_secs(30);
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
        // The lease of a writer: $11 is what it does, $12 its number, $13 its time in milliseconds.
        let until = "clock_timestamp() + $13::float8 * interval '1 millisecond'";
        let left = "extract(epoch FROM lease_until - clock_timestamp())::float8 * 1000";
        let head = format!("SELECT newest, lease, {left} FROM {session} WHERE id = $1");
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
                "INSERT INTO {session} (id, newest, caller, lease, lease_until)
                 SELECT $1, number, $14, CASE WHEN $11 IN ('take', 'over') THEN number END,
                     CASE WHEN $11 IN ('take', 'over') THEN {until} END
                 FROM {number} AS number WHERE $12::bigint IS NULL ON CONFLICT DO NOTHING"
            )),
            next: put(&format!(
                "UPDATE {session} SET newest = number,
                     lease = CASE $11 WHEN 'none' THEN lease WHEN 'keep' THEN $12 WHEN 'release' THEN NULL ELSE number END,
                     lease_until = CASE $11 WHEN 'none' THEN lease_until WHEN 'release' THEN NULL ELSE {until} END
                 FROM {number} AS number
                 WHERE id = $1 AND newest = $14 AND CASE
                     WHEN $11 = 'over' THEN true
                     WHEN $11 IN ('keep', 'release') THEN lease IS NOT DISTINCT FROM $12
                     ELSE lease_until IS NULL OR lease_until <= clock_timestamp()
                 END"
            )),
            locked: format!("{head} FOR SHARE"),
            owned: format!("{head} FOR UPDATE"),
            head,
            renew: format!(
                "UPDATE {session} SET lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
                 WHERE id = $1 AND lease = $2"
            ),
            release: format!(
                "UPDATE {session} SET lease = NULL, lease_until = NULL WHERE id = $1 AND lease = $2"
            ),
            prunable: format!(
                "SELECT id, at_ms FROM {checkpoint} WHERE session = $1 ORDER BY id"
            ),
            until: chain("SELECT $1::text AS session, $2::bigint AS id"),
            whole: format!(
                "UPDATE {checkpoint} SET body = $2, front = NULL, back = NULL WHERE id = $1"
            ),
            prune: format!("DELETE FROM {checkpoint} WHERE session = $1 AND id < $2"),
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
            delete: format!(
                "WITH RECURSIVE gone (id) AS (
                     VALUES ($1::text COLLATE \"C\")
                     UNION SELECT inside.id FROM {session} AS inside JOIN gone ON inside.caller = gone.id
                 ), deleted AS (
                     DELETE FROM {session} WHERE id IN (SELECT id FROM gone) RETURNING id
                 ) SELECT id FROM deleted WHERE id = $1"
            ),
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
            chains: Chains::default(),
            term: Some(LEASE),
        })
    }

    /// Sets the [time of a lease](Checkpointer::lease_term). Default: 30 seconds. After the death of a machine, its sessions wait
    /// for that time; a machine that is cut off from the database for longer loses its sessions. `None` is for runs without
    /// leases: of two at once, the slower one gets a conflict at its next step.
    ///
    /// The clock is that of the database.
    pub fn with_lease(self, term: impl Into<Option<Duration>>) -> Self {
        let term = term.into();
        Self { term, ..self }
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

    async fn head(&self, session: &str) -> Done<Option<Head>> {
        let rows = self.rows(&self.sql.head, &[&session]).await?;
        Head::of(rows.first(), session)
    }

    /// Returns the chain of the checkpoint that a new one follows; `None` if it is not the newest.
    async fn before(&self, session: &str, after: CheckpointId) -> Done<Option<Chain>> {
        if let Some(chain) = self.chains.take(session, after) {
            return Ok(Some(chain));
        }
        let rows = self.rows(&self.sql.latest, &[&session]).await?;
        Ok(match Reader::of(&rows, session)? {
            Some(read) if read.id == after => Some(read.chain),
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
        let (chain, delta) = Chain::next(before, new.body);
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
        let sum = chain.sum();
        let lease = LeaseColumns::of(new.lease)?;
        let mut of: Vec<&(dyn ToSql + Sync)> = vec![
            &session,
            &parent,
            &written,
            &next,
            &at_ms,
            &metadata,
            &body,
            &front,
            &back,
            &sum,
            &lease.what,
            &lease.token,
            &lease.millis,
        ];
        let caller = new.caller.map(named).transpose()?;
        let sql = match &after {
            None => {
                of.push(&caller);
                &self.sql.first
            }
            Some(after) => {
                of.push(after);
                &self.sql.next
            }
        };
        let id = loop {
            let rows = self.rows(sql, &of).await?;
            if let Some(row) = rows.first() {
                break CheckpointId::new(unsigned(row.try_get(0)?, session)?);
            }
            // If nothing speaks against it any more, it is done again.
            let head = self.head(session).await?;
            Head::check(head, session, new.lease, new.after)?;
        };
        self.chains.keep(session, id, chain);
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
        let head = Head::of(found.as_ref(), session)?;
        Head::check(head, session, of_run(begin.lease), Some(begin.after))?;
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

/// Ends and prunings, which lock the session's row.
impl PostgresCheckpointer {
    async fn end(&self, end: End<'_>) -> Done<()> {
        let (session, key) = (named(end.session)?, end.key.as_bytes());
        let revision = number(end.revision)?;
        let of: [&(dyn ToSql + Sync); 4] = [&session, &key, &revision, &end.outcome];
        if end.lease.is_none() {
            self.count(&self.sql.end, &of).await?;
            return Ok(());
        }
        let mut client = self.database.client().await?;
        let transaction = client.transaction().await?;
        // Nobody takes the lease before the outcome is there.
        let statement = transaction.prepare_cached(&self.sql.locked).await?;
        let found = transaction.query_opt(&statement, &[&session]).await?;
        if let Some(head) = Head::of(found.as_ref(), session)? {
            of_run(end.lease).check(session, head.standing)?;
        }
        let statement = transaction.prepare_cached(&self.sql.end).await?;
        transaction.execute(&statement, &of).await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn prune_old(&self, session: &str, keep: Keep) -> Done<usize> {
        let mut client = self.database.client().await?;
        let transaction = client.transaction().await?;
        transaction.query_opt(&self.sql.owned, &[&session]).await?;
        let all = transaction.query(&self.sql.prunable, &[&session]).await?;
        let all = all.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
        let all: Vec<(i64, i64)> = all.collect::<Done<_>>()?;
        let times = all
            .iter()
            .map(|(_, at_ms)| u64::try_from(*at_ms).unwrap_or_default());
        let dropped = keep.drops(times);
        let Some((oldest, _)) = all.get(dropped).filter(|_| dropped > 0) else {
            return Ok(0);
        };
        // It follows nothing from now on.
        let rows = transaction
            .query(&self.sql.until, &[&session, oldest])
            .await?;
        if let Some(read) = Reader::of(&rows, session)? {
            let of: [&(dyn ToSql + Sync); 2] = [oldest, &read.chain.text()];
            transaction.execute(&self.sql.whole, &of).await?;
        }
        transaction
            .execute(&self.sql.prune, &[&session, oldest])
            .await?;
        transaction.commit().await?;
        Ok(dropped)
    }
}

/// What the statement of a new checkpoint is told of its lease.
struct LeaseColumns {
    what: &'static str,
    token: Option<i64>,
    millis: f64,
}

impl LeaseColumns {
    fn of(lease: Lease) -> Result<Self, CheckpointError> {
        let (what, token, term) = match lease {
            Lease::None => ("none", None, Duration::ZERO),
            Lease::Take(term) => ("take", None, term),
            Lease::TakeOver(term) => ("over", None, term),
            Lease::Keep(token, term) => ("keep", Some(token), term),
            Lease::Release(token) => ("release", Some(token), Duration::ZERO),
        };
        Ok(Self {
            what,
            token: token.map(|token| number(token.get())).transpose()?,
            millis: millis(term),
        })
    }
}

/// Returns a time as Postgres can add it: at most a century.
fn millis(term: Duration) -> f64 {
    term.min(Duration::from_hours(876_000)).as_secs_f64() * 1_000.0
}

/// The lease of a write that belongs to a run with this lease.
fn of_run(token: Option<CheckpointId>) -> Lease {
    token.map_or(Lease::None, |token| Lease::Keep(token, Duration::ZERO))
}

/// A session's newest checkpoint and its lease.
struct Head {
    newest: CheckpointId,
    standing: Option<(CheckpointId, Duration)>,
}

impl Head {
    fn of(row: Option<&Row>, session: &str) -> Done<Option<Self>> {
        let Some(row) = row else { return Ok(None) };
        let newest = CheckpointId::new(unsigned(row.try_get(0)?, session)?);
        let lease: Option<i64> = row.try_get(1)?;
        let left: Option<f64> = row.try_get(2)?;
        let standing = match lease.zip(left) {
            Some((lease, left)) => {
                let left = Duration::try_from_secs_f64(left.max(0.0) / 1_000.0);
                Some((
                    CheckpointId::new(unsigned(lease, session)?),
                    left.unwrap_or_default(),
                ))
            }
            None => None,
        };
        Ok(Some(Self { newest, standing }))
    }

    /// Fails if a write with this lease, after this checkpoint, may not be done.
    fn check(
        head: Option<Self>,
        session: &str,
        lease: Lease,
        after: Option<CheckpointId>,
    ) -> Result<(), CheckpointError> {
        if let Some(head) = &head {
            lease.check(session, head.standing)?;
        }
        let found = head.map(|head| head.newest);
        if found == after {
            return Ok(());
        }
        Err(CheckpointError::Conflict {
            session: session.to_owned(),
            expected: after,
            found,
        })
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

fn damaged(session: &str, id: CheckpointId, reason: impl Into<String>) -> Failure {
    let damage = Damage::of_session(session, DamagedPart::Checkpoint(id), None);
    CheckpointError::damaged(damage.with_reason(reason)).into()
}

/// Checkpoints of a session, read one after the other.
struct Reader {
    id: CheckpointId,
    chain: Chain,
}

impl Reader {
    /// Reads rows from a whole one on. Returns the last one; `None` of no rows.
    fn of(rows: &[Row], session: &str) -> Done<Option<Self>> {
        let mut read = None;
        for row in rows {
            read = Some(Self::behind(read, row, session)?);
        }
        if let (Some(read), Some(row)) = (&read, rows.last()) {
            read.is_whole(row, session)?;
        }
        Ok(read)
    }

    fn behind(before: Option<Self>, row: &Row, session: &str) -> Done<Self> {
        let id = CheckpointId::new(unsigned(row.try_get(0)?, session)?);
        let body: &str = row.try_get(7)?;
        let (front, back): (Option<i64>, Option<i64>) = (row.try_get(8)?, row.try_get(9)?);
        let Some((front, back)) = front.zip(back) else {
            let chain = Chain::new(body.to_owned());
            return Ok(Self { id, chain });
        };
        let delta = Delta {
            front: usize::try_from(front).unwrap_or(usize::MAX),
            back: usize::try_from(back).unwrap_or(usize::MAX),
            middle: body,
        };
        let chain = before.map(|before| before.chain);
        let chain = chain.and_then(|mut chain| chain.follow(delta).map(|()| chain));
        match chain {
            Some(chain) => Ok(Self { id, chain }),
            None => Err(damaged(session, id, "what it follows is missing")),
        }
    }

    /// Fails if a row before was lost or changed.
    fn is_whole(&self, row: &Row, session: &str) -> Done<()> {
        if row.try_get::<_, i64>(10)? == self.chain.sum() {
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
            body: self.chain.text().to_owned(),
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
            let (Some(read), Some(row)) = (Reader::of(&rows, session)?, rows.last()) else {
                // The session may be there all the same.
                return match self.head(session).await? {
                    None => Ok(None),
                    Some(head) => Err(damaged(session, head.newest, "it is missing").into()),
                };
            };
            let found = read.checkpoint(row, session)?;
            self.chains.keep(session, read.id, read.chain);
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
            let read = Reader::of(&rows, &session)?;
            let found = read.map(|read| read.checkpoint(row, &session));
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
            let (mut read, mut all) = (None, Vec::new());
            for row in &rows {
                let next = Reader::behind(read, row, session)?;
                next.is_whole(row, session)?;
                all.push(next.checkpoint(row, session)?);
                read = Some(next);
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
            Ok(!self.rows(&self.sql.delete, &[&session]).await?.is_empty())
        })
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        Box::pin(async move { Ok(self.begin(begin).await?) })
    }

    fn end_call<'a>(&'a self, end: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move { Ok(self.end(end).await?) })
    }

    fn prune<'a>(
        &'a self,
        session: &'a str,
        keep: Keep,
    ) -> BoxFuture<'a, Result<usize, CheckpointError>> {
        Box::pin(async move { Ok(self.prune_old(named(session)?, keep).await?) })
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

    fn renew<'a>(
        &'a self,
        session: &'a str,
        lease: CheckpointId,
        term: Duration,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            let (session, token) = (named(session)?, number(lease.get())?);
            let renewed = if term.is_zero() {
                self.count(&self.sql.release, &[&session, &token]).await?
            } else {
                let of: [&(dyn ToSql + Sync); 3] = [&session, &token, &millis(term)];
                self.count(&self.sql.renew, &of).await?
            };
            if renewed == 0 {
                return Lease::Release(lease).check(session, None);
            }
            Ok(())
        })
    }

    fn lease_term(&self) -> Option<Duration> {
        self.term
    }
}

impl fmt::Debug for PostgresCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresCheckpointer")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
