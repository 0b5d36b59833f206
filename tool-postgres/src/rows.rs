//! Rows of the store as Rust values.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_postgres::Row;
use toolwright::ToolCall;
use toolwright::agent::store::delta::{Chain, CheckpointRow};
use toolwright::agent::store::{
    CallRecord, Checkpoint, CheckpointError, CheckpointId, Damage, DamagedPart, Lease, SessionHead,
};

use crate::error::{Done, Failure};

/// The stored form of a call, in which no text has a NUL.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredCall {
    pub(crate) call: ToolCall,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model_arguments: Option<String>,
}

/// What the statement of a new checkpoint is told of its lease.
pub(crate) struct LeaseColumns {
    pub(crate) what: &'static str,
    pub(crate) token: Option<i64>,
    pub(crate) millis: f64,
}

impl LeaseColumns {
    pub(crate) fn of(lease: Lease) -> Result<Self, CheckpointError> {
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
pub(crate) fn millis(term: Duration) -> f64 {
    term.min(Duration::from_hours(876_000)).as_secs_f64() * 1_000.0
}

/// Refuses what no text of Postgres holds.
pub(crate) fn named(session: &str) -> Result<&str, CheckpointError> {
    if session.contains('\0') {
        let words =
            format!("the session's id {session:?} has a NUL, which Postgres does not store");
        return Err(CheckpointError::store(words));
    }
    Ok(session)
}

pub(crate) fn number(number: u64) -> Result<i64, CheckpointError> {
    let words = |_| CheckpointError::store(format!("{number} is too large a number"));
    i64::try_from(number).map_err(words)
}

pub(crate) fn unsigned(number: i64, session: &str) -> Result<u64, CheckpointError> {
    u64::try_from(number).map_err(|_| {
        let reason = format!("{number} where no sign may be");
        let damage = Damage::of_session(session, DamagedPart::Session, None);
        CheckpointError::damaged(damage.with_reason(reason))
    })
}

pub(crate) fn damaged(session: &str, id: CheckpointId, reason: impl Into<String>) -> Failure {
    let damage = Damage::of_session(session, DamagedPart::Checkpoint(id), None);
    CheckpointError::damaged(damage.with_reason(reason)).into()
}

/// Checkpoints of a session, read one after the other.
pub(crate) struct Reader {
    pub(crate) id: CheckpointId,
    pub(crate) chain: Chain,
}

impl Reader {
    /// Reads rows from a whole one on. Returns the last one; `None` of no rows.
    pub(crate) fn of(rows: &[Row], session: &str) -> Done<Option<Self>> {
        let mut read = None;
        for row in rows {
            read = Some(Self::behind(read, row, session)?);
        }
        if let (Some(read), Some(row)) = (&read, rows.last()) {
            let checked = columns(row)?.check(&read.chain);
            checked.map_err(|reason| damaged(session, read.id, reason))?;
        }
        Ok(read)
    }

    pub(crate) fn behind(before: Option<Self>, row: &Row, session: &str) -> Done<Self> {
        let row = columns(row)?;
        let id = CheckpointId::new(unsigned(row.id, session)?);
        match row.chain(before.map(|before| before.chain)) {
            Ok(chain) => Ok(Self { id, chain }),
            Err(reason) => Err(damaged(session, id, reason)),
        }
    }

    /// Makes the checkpoint of the last row.
    pub(crate) fn checkpoint(&self, row: &Row, session: &str) -> Done<Checkpoint> {
        let found = columns(row)?.checkpoint(&self.chain);
        found.map_err(|reason| damaged(session, self.id, reason))
    }
}

fn columns(row: &Row) -> Done<CheckpointRow<'_>> {
    Ok(CheckpointRow {
        id: row.try_get(0)?,
        session: row.try_get(1)?,
        parent: row.try_get(2)?,
        written: row.try_get(3)?,
        next: row.try_get(4)?,
        at_ms: row.try_get(5)?,
        metadata: row.try_get(6)?,
        body: row.try_get(7)?,
        front: row.try_get(8)?,
        back: row.try_get(9)?,
        sum: row.try_get(10)?,
    })
}

pub(crate) fn message(row: &Row, session: &str) -> Done<String> {
    let content: &str = row.try_get(0)?;
    let message = serde_json::from_str(content).map_err(|error| {
        let damage = Damage::of_session(session, DamagedPart::Session, None);
        CheckpointError::damaged(damage.with_reason(format!("a message of its inbox: {error}")))
    });
    Ok(message?)
}

pub(crate) fn call(row: &Row, session: &str) -> Done<CallRecord> {
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

/// Reads a session's newest checkpoint and its lease.
pub(crate) fn head(row: Option<&Row>, session: &str) -> Done<Option<SessionHead>> {
    let Some(row) = row else { return Ok(None) };
    let newest = CheckpointId::new(unsigned(row.try_get(0)?, session)?);
    let lease: Option<i64> = row.try_get(1)?;
    let left: Option<f64> = row.try_get(2)?;
    let lease = match lease.zip(left) {
        Some((lease, left)) => {
            let left = Duration::try_from_secs_f64(left.max(0.0) / 1_000.0);
            let lease = CheckpointId::new(unsigned(lease, session)?);
            Some((lease, left.unwrap_or_default()))
        }
        None => None,
    };
    Ok(Some(SessionHead { newest, lease }))
}
