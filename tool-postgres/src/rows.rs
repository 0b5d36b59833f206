//! Rows of the store as Rust values.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_postgres::Row;
use toolwright::ToolCall;
use toolwright::agent::delta::{Chain, Delta};
use toolwright::agent::{
    CallRecord, Checkpoint, CheckpointError, CheckpointId, Damage, DamagedPart, Lease, Node,
    SessionHead, Written,
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
            read.is_whole(row, session)?;
        }
        Ok(read)
    }

    pub(crate) fn behind(before: Option<Self>, row: &Row, session: &str) -> Done<Self> {
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
    pub(crate) fn is_whole(&self, row: &Row, session: &str) -> Done<()> {
        if row.try_get::<_, i64>(10)? == self.chain.sum() {
            return Ok(());
        }
        Err(damaged(session, self.id, "its checksum is wrong"))
    }

    /// Makes the checkpoint of the last row.
    pub(crate) fn checkpoint(&self, row: &Row, session: &str) -> Done<Checkpoint> {
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
