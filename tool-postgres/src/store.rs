use std::fmt;
use std::time::Duration;

use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use toolwright::agent::store::delta::{Chain, Chains};
use toolwright::agent::store::{
    Begin, Begun, CallRecord, Checkpoint, CheckpointError, CheckpointId, Checkpointer, End, Keep,
    Lease, NewCheckpoint, SessionHead, Written,
};
use toolwright::call::BoxFuture;

use crate::Database;
use crate::error::{Done, Failure};
use crate::rows::{
    LeaseColumns, Reader, StoredCall, call, damaged, head, message, millis, named, number, unsigned,
};
use crate::sql::Sql;

/// Time of a lease.
const LEASE: Duration = Duration::from_secs(30);

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

    async fn head(&self, session: &str) -> Done<Option<SessionHead>> {
        let rows = self.rows(&self.sql.head, &[&session]).await?;
        head(rows.first(), session)
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
            SessionHead::check(head, session, new.lease, new.after)?;
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
        let head = head(found.as_ref(), session)?;
        SessionHead::check(head, session, Lease::of_run(begin.lease), Some(begin.after))?;
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
        if let Some(head) = head(found.as_ref(), session)? {
            Lease::of_run(end.lease).check(session, head.lease)?;
        }
        let statement = transaction.prepare_cached(&self.sql.end).await?;
        transaction.execute(&statement, &of).await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn add(&self, session: &str, message: &str) -> Done<bool> {
        let mut client = self.database.client().await?;
        let transaction = client.transaction().await?;
        // Messages get their numbers one after the other, so that none appears before a lower one.
        let found = transaction.query_opt(&self.sql.owned, &[&session]).await?;
        if found.is_none() {
            return Ok(false);
        }
        let content = Value::from(message).to_string();
        transaction
            .execute(&self.sql.send, &[&session, &content])
            .await?;
        transaction.commit().await?;
        Ok(true)
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
        self.make_whole(&transaction, session, *oldest).await?;
        transaction
            .execute(&self.sql.prune, &[&session, oldest])
            .await?;
        transaction.commit().await?;
        Ok(dropped)
    }

    async fn delete_one(&self, session: &str, id: i64) -> Done<bool> {
        let mut client = self.database.client().await?;
        let transaction = client.transaction().await?;
        transaction.query_opt(&self.sql.owned, &[&session]).await?;
        let all = transaction.query(&self.sql.prunable, &[&session]).await?;
        let all = all.iter().map(|row| Ok(row.try_get(0)?));
        let all: Vec<i64> = all.collect::<Done<_>>()?;
        let mut all = all.into_iter().skip_while(|other| *other != id);
        let (Some(_), Some(next)) = (all.next(), all.next()) else {
            return Ok(false);
        };
        self.make_whole(&transaction, session, next).await?;
        transaction
            .execute(&self.sql.delete_one, &[&session, &id])
            .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Stores a checkpoint as a whole text: it follows nothing from now on.
    async fn make_whole(
        &self,
        transaction: &deadpool_postgres::Transaction<'_>,
        session: &str,
        id: i64,
    ) -> Done<()> {
        let rows = transaction.query(&self.sql.until, &[&session, &id]).await?;
        if let Some(read) = Reader::of(&rows, session)? {
            let of: [&(dyn ToSql + Sync); 2] = [&id, &read.chain.text()];
            transaction.execute(&self.sql.whole, &of).await?;
        }
        Ok(())
    }
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

    fn delete_checkpoint<'a>(
        &'a self,
        session: &'a str,
        id: CheckpointId,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move { Ok(self.delete_one(named(session)?, number(id.get())?).await?) })
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

    fn send<'a>(
        &'a self,
        session: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move { Ok(self.add(named(session)?, message).await?) })
    }

    fn inbox<'a>(
        &'a self,
        session: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        Box::pin(async move {
            let session = named(session)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let of: [&(dyn ToSql + Sync); 3] = [&session, &number(after)?, &most];
            let rows = self.rows(&self.sql.inbox, &of).await?;
            let all: Done<Vec<_>> = rows.iter().map(|row| message(row, session)).collect();
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
