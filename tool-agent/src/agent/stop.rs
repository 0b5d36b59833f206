//! Stops a stored session in any process, and answers stored calls that no longer run.

use std::collections::BTreeMap;
use std::time::Duration;

use toolwright_provider::call::{ErrorKind, Outcome, StoredOutcome, ToolError, ToolResult};
use toolwright_runtime::tool::CallPlace;

use super::Agent;
use super::held_lease::HeldLease;
use crate::run::AgentError;
use crate::session::{RefusedCall, Session, Status, StoredEnd, id_of};
use crate::store::{CheckpointError, Damage, DamagedPart, Lease, Written};
use crate::thread::ToolMessage;

/// How often a run may write before its session is taken from it.
const MAX_CONFLICTS: u32 = 16;

/// Time for which a session is held while it is stopped, if the store has no time of its own.
const LEASE: Duration = Duration::from_secs(30);

/// What a stopped session says of itself.
const STOPPED: &str = "the session was stopped";

/// A call that a run has begun.
pub(super) struct RecordedCall {
    /// Revision of its record; zero without a store.
    pub(super) revision: u64,
    /// Outcome as the JSON of a [`StoredOutcome`]. `None` while it is unknown.
    pub(super) outcome: Option<String>,
}

impl Agent {
    /// Stops a stored session, also while somebody runs it. It is [failed](Status::Failed) then: no run goes on with it,
    /// and it takes no input, until [`Session::clear_error`]. A session that has completed stays as it is.
    ///
    /// A run that holds the session's [lease](crate::store::Lease) loses it, without being asked. It fails at its next write,
    /// and begins no further call. Unanswered calls, open calls and questions are answered as cancelled, and so are those of
    /// agents that calls run, in the same store.
    ///
    /// A call that runs elsewhere is not interrupted: its code goes on to its end. Its answer here says that nobody knows
    /// whether it took effect, and what it comes to is not recorded, or not read if the store has no leases. A call that
    /// has ended is answered by its recorded outcome.
    ///
    /// # Errors
    /// Fails without a checkpointer, if there is no such session, or if the store fails.
    pub async fn stop(&self, id: &str) -> Result<Session, AgentError> {
        let (mut session, mut lease) = self.take_over(id).await?;
        let inside = self.answer_cancelled(&mut session).await?;
        let (written, released) = (Written::Update, lease.released());
        let persistence = &self.persistence;
        persistence.put(&mut session, written, released).await?;
        lease.is_over();
        for id in inside {
            match Box::pin(self.stop(&id)).await {
                Ok(_) | Err(AgentError::Checkpoint(CheckpointError::NoCheckpoint(_))) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(session)
    }

    /// Takes a session from whoever runs it. From here on, no run begins or records a call of it.
    async fn take_over(&self, id: &str) -> Result<(Session, HeldLease), CheckpointError> {
        let persistence = &self.persistence;
        let store = persistence.store()?;
        // A program without leases may stop a run that has one.
        let term = store.lease_term().unwrap_or(LEASE);
        let mut conflicts = 0;
        loop {
            let mut session = persistence.existing(id).await?;
            let (written, lease) = (Written::Update, Lease::TakeOver(term));
            let put = persistence.put(&mut session, written, lease).await;
            match (put, session.saved) {
                (Ok(()), Some(token)) => {
                    return Ok((session, HeldLease::new(store, id, token, term)));
                }
                (Err(CheckpointError::Conflict { .. }), _) if conflicts < MAX_CONFLICTS => {
                    conflicts += 1;
                }
                (put, _) => put?,
            }
        }
    }

    /// Answers all that the session waits for. Returns ids that sessions of agents in its calls have, if there are any.
    async fn answer_cancelled(&self, session: &mut Session) -> Result<Vec<String>, AgentError> {
        let is_completed = session.status() == Status::Completed;
        let ended = session.end.clone();
        let ended = ended.filter(|_| is_completed || session.is_failed());
        let (run, turn) = (session.run_id(), session.turn());
        let (mut inside, mut answers) = (Vec::new(), Vec::new());
        let records = self.records(session).await?;
        for pending in session.pending() {
            let (index, call) = (pending.index, pending.call);
            let key = CallPlace::new(&run, turn, index, &*call.id).first_key();
            inside.push(id_of(&key, &session.born).to_string());
            let error = cancelled();
            let refused = RefusedCall { index, call, error };
            answers.push(self.answer_refused(session, refused, &records)?);
        }
        let open = session.open();
        for call in open.list() {
            inside.push(id_of(&call.key, &session.born).to_string());
            // It may have ended.
            let _ = open.cancel(&call.key).await;
        }
        let mut is_changed = !answers.is_empty();
        session.take_answers(answers);
        let encoder = self.active_agent(session).unwrap_or(self).encoder;
        for asks in session.thread.questions() {
            if let Some(call) = session.thread.last_calls().get(asks.index) {
                let result = ToolResult::new(call, Err(cancelled()));
                let answer = ToolMessage::of(asks.index, &result, encoder);
                is_changed |= session.thread.answer(answer);
            }
        }
        if is_changed {
            session.settle();
        }
        let goes_on = is_changed || !session.queue().is_empty();
        session.end = match ended {
            Some(ended) if !is_completed || !goes_on => Some(ended),
            _ => Some(StoredEnd::failed(STOPPED)),
        };
        Ok(inside)
    }

    /// Returns the records of a session's calls, by key. Without a store those are the marks of a dropped run.
    pub(super) async fn records(
        &self,
        session: &Session,
    ) -> Result<BTreeMap<String, RecordedCall>, AgentError> {
        let Some(store) = &self.persistence.store else {
            let marks = session.begun.calls().into_iter();
            let records = marks.map(|(key, outcome)| {
                let outcome = outcome.and_then(|outcome| outcome.to_json().ok());
                let revision = 0;
                (key, RecordedCall { revision, outcome })
            });
            return Ok(records.collect());
        };
        let records = store.calls(session.id()).await?.into_iter();
        let records = records.map(|record| {
            let (revision, outcome) = (record.revision, record.outcome);
            (record.key, RecordedCall { revision, outcome })
        });
        Ok(records.collect())
    }

    /// Returns the answer to a call that runs no more. What it has done already counts.
    pub(super) fn answer_refused(
        &self,
        session: &mut Session,
        refused: RefusedCall,
        records: &BTreeMap<String, RecordedCall>,
    ) -> Result<ToolMessage, AgentError> {
        let RefusedCall { index, call, error } = refused;
        let encoder = self.active_agent(session).unwrap_or(self).encoder;
        let place = CallPlace::new(&session.run_id(), session.turn(), index, &*call.id);
        let result = match records.get(&place.first_key()) {
            Some(RecordedCall {
                outcome: Some(outcome),
                ..
            }) => {
                let stored = StoredOutcome::from_json(outcome).map_err(|error| {
                    let part = DamagedPart::Call(place.first_key());
                    let damage = Damage::of_session(session.id(), part, None);
                    CheckpointError::damaged(damage.with_reason(error.to_string()))
                })?;
                let state = std::mem::take(&mut session.state);
                let updates = stored.updates().iter().cloned();
                session.state = updates.fold(state, |state, (name, value)| state.with(name, value));
                stored.into_result(&call)
            }
            Some(_) => ToolResult::new(&call, Err(unknown(&error))),
            None => ToolResult::new(&call, Err(error)),
        };
        if matches!(result.outcome, Ok(Outcome::Halt { .. })) {
            session.ends_with(index, &result);
        }
        Ok(ToolMessage::of(index, &result, encoder))
    }
}

fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, STOPPED)
}

/// Returns the error of a call that began, of whose end nothing is recorded, and that cannot run again.
fn unknown(why: &ToolError) -> ToolError {
    ToolError::failed(format!(
        "this call began, and what it came to is not recorded; it is not known whether it took effect, and it cannot run again: {why}"
    ))
    .with_outcome_unknown()
}
