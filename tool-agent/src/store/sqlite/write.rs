//! Writes of a checkpoint and of a call record, each in one transaction.

use std::time::Duration;

use rusqlite::Transaction;
use toolwright_provider::call::ToolCall;

use super::calls::RecordRow;
use super::failure::{SqlResult, StoreFailure};
use super::rows::{self, SessionRow, id, number};
use super::table;
use crate::session::Node;
use crate::store::delta::Chain;
use crate::store::{
    Begin, Begun, CallRecord, CheckpointError, CheckpointId, Lease, NewCheckpoint, SessionHead,
    Written,
};

/// Returns the session's row. Fails if a write with this lease, after this checkpoint, may not be done.
fn writable(
    transaction: &Transaction<'_>,
    session: &str,
    lease: Lease,
    after: Option<CheckpointId>,
) -> SqlResult<Option<SessionRow>> {
    let head = SessionRow::read(transaction, session)?;
    agreed(session, lease, after, head)
}

fn agreed(
    session: &str,
    lease: Lease,
    after: Option<CheckpointId>,
    head: Option<SessionRow>,
) -> SqlResult<Option<SessionRow>> {
    let known = head.as_ref().map(SessionRow::head).transpose()?;
    SessionHead::check(known, session, lease, after)?;
    Ok(head)
}

/// Owned copy of a new checkpoint, for the worker thread.
pub(super) struct OwnedCheckpoint {
    session: String,
    after: Option<CheckpointId>,
    parent: Option<CheckpointId>,
    written: Written,
    next: Node,
    at_ms: u64,
    metadata: String,
    body: String,
    caller: Option<String>,
    lease: Lease,
}

impl OwnedCheckpoint {
    pub(super) fn of(new: &NewCheckpoint<'_>) -> Self {
        Self {
            session: new.session.to_owned(),
            after: new.after,
            parent: new.parent,
            written: new.written,
            next: new.next,
            at_ms: new.at_ms,
            metadata: serde_json::Value::Object(new.metadata.clone()).to_string(),
            body: new.body.to_owned(),
            caller: new.caller.map(str::to_owned),
            lease: new.lease,
        }
    }

    /// Returns the number of the checkpoint, and the chain that ends with it.
    pub(super) fn write(
        self,
        transaction: &Transaction<'_>,
        chain: Option<Chain>,
    ) -> SqlResult<(CheckpointId, Chain)> {
        let head = match writable(transaction, &self.session, self.lease, self.after) {
            // A branch leaves the damage behind, and continues with the rows that are left.
            Err(failure) if self.written == Written::Branch && failure.is_of_session() => {
                let head = SessionRow::counted(transaction, &self.session)?;
                agreed(&self.session, self.lease, self.after, head)?
            }
            head => head?,
        };
        let mut store = rows::StoreRow::read(transaction)?;
        store.last += 1;
        store.sessions += i64::from(head.is_none());
        store.write(transaction)?;
        let is_new = head.is_none();
        // A branch is whole, since what is before it may be damaged.
        let chain = match (self.written, &head) {
            (Written::Branch, _) | (_, None) => None,
            (_, Some(_)) if chain.is_some() => chain,
            (_, Some(_)) => match rows::latest(transaction, &self.session) {
                Err(StoreFailure::Checkpoint(CheckpointError::Damaged(_))) => None,
                latest => latest?.map(|(_, chain)| chain),
            },
        };
        let mut head = head.unwrap_or_else(|| SessionRow {
            session: self.session,
            caller: self.caller,
            ..SessionRow::default()
        });
        head.newest = store.last;
        head.checkpoints += 1;
        match self.lease {
            Lease::None => {}
            Lease::Take(term) | Lease::TakeOver(term) => head.keep(store.last, term),
            Lease::Keep(lease, term) => head.keep(number(lease.get())?, term),
            Lease::Release(lease) => head.keep(number(lease.get())?, Duration::ZERO),
        }
        head.write(transaction, is_new)?;
        let parent = self.parent.map(|parent| number(parent.get())).transpose()?;
        let (chain, delta) = Chain::next(chain, &self.body);
        let (middle, front, back) = match delta {
            Some(delta) => (delta.middle, Some(delta.front), Some(delta.back)),
            None => (&*self.body, None, None),
        };
        let kept = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
        let row = [
            store.last.into(),
            head.session.into(),
            parent.into(),
            self.written.as_str().to_owned().into(),
            self.next.as_str().to_owned().into(),
            number(self.at_ms)?.into(),
            self.metadata.into(),
            middle.to_owned().into(),
            front.map(kept).into(),
            back.map(kept).into(),
            chain.sum().into(),
        ];
        table::CHECKPOINT.write(transaction, &row, true)?;
        Ok((id(store.last)?, chain))
    }
}

/// Owned copy of a new call record, for the worker thread.
pub(super) struct NewRecord {
    session: String,
    key: String,
    call: ToolCall,
    model_arguments: Option<String>,
    pub(super) after: CheckpointId,
    replaces: Option<u64>,
    lease: Option<CheckpointId>,
}

impl NewRecord {
    pub(super) fn of(begin: &Begin<'_>) -> Self {
        Self {
            session: begin.session.to_owned(),
            key: begin.key.to_owned(),
            call: begin.call.clone(),
            model_arguments: begin.model_arguments.map(str::to_owned),
            after: begin.after,
            replaces: begin.replaces,
            lease: begin.lease,
        }
    }

    pub(super) fn write(self, transaction: &Transaction<'_>) -> SqlResult<Begun> {
        let session = &*self.session;
        let (lease, after) = (Lease::of_run(self.lease), Some(self.after));
        let head = writable(transaction, session, lease, after)?;
        let standing = RecordRow::read(transaction, session, &self.key)?;
        // A replaced record keeps its place in the order.
        let (place, revision) = match (standing, head) {
            (Some(standing), _) if self.replaces != Some(standing.record.revision) => {
                return Ok(Begun::Standing(standing.record));
            }
            (Some(standing), _) => (standing.place, standing.record.revision + 1),
            (None, Some(mut head)) => {
                head.calls += 1;
                head.write(transaction, false)?;
                (head.calls, 1)
            }
            (None, None) => return Err(StoreFailure::damaged("a session without a checkpoint")),
        };
        let recorded = RecordRow {
            place,
            record: CallRecord {
                key: self.key,
                call: self.call,
                model_arguments: self.model_arguments,
                revision,
                after: self.after,
                outcome: None,
            },
        };
        recorded.write(transaction, session)?;
        Ok(Begun::Recorded(revision))
    }
}
