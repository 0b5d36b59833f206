//! Stored sessions whose calls were made for earlier versions of the tools.

use std::collections::BTreeMap;

use toolwright_provider::call::{Outcome, StoredOutcome, ToolError, ToolResult};
use toolwright_runtime::tool::{CallPlace, Context};
use toolwright_runtime::toolset::Toolset;

use super::Agent;
use crate::session::RefusedCall;
use crate::{
    AgentError, CallRecord, CheckpointError, Damage, DamagedPart, Session, Status, ToolMessage,
};

impl Agent {
    /// Makes the unanswered calls of a session calls of these tools of the active agent. A call that cannot be one is
    /// answered: by its recorded outcome, if it has ended, and otherwise with words. With a context, migrated arguments are
    /// validated.
    pub(super) async fn migrate(
        &self,
        session: &mut Session,
        tools: &Toolset,
        cx: Option<&Context>,
    ) -> Result<(), AgentError> {
        let refused = session.migrate(tools, cx);
        if refused.is_empty() {
            return Ok(());
        }
        let records = self.records(session).await?;
        let mut answers = Vec::new();
        for one in refused {
            answers.push(self.answer_refused(session, one, &records)?);
        }
        session.take_answers(answers);
        let failed =
            matches!(session.status, Status::Failed { .. }).then(|| session.status.clone());
        session.settle();
        if let Some(failed) = failed {
            session.status = failed;
        }
        Ok(())
    }

    /// Returns the records of a session's calls, by key.
    pub(super) async fn records(
        &self,
        session: &Session,
    ) -> Result<BTreeMap<String, CallRecord>, AgentError> {
        let Some(store) = &self.persistence.store else {
            return Ok(BTreeMap::new());
        };
        let records = store.calls(session.id()).await?.into_iter();
        Ok(records.map(|record| (record.key.clone(), record)).collect())
    }

    /// Returns the answer to a call that runs no more. What it has done already counts.
    pub(super) fn answer_refused(
        &self,
        session: &mut Session,
        refused: RefusedCall,
        records: &BTreeMap<String, CallRecord>,
    ) -> Result<ToolMessage, AgentError> {
        let RefusedCall { index, call, error } = refused;
        let encoder = self.active_agent(session).unwrap_or(self).encoder;
        let place = CallPlace::new(&session.run_id(), session.turn(), index, &*call.id);
        let result = match records.get(&place.first_key()) {
            Some(CallRecord {
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

/// Returns the error of a call that began, of whose end nothing is recorded, and that cannot run again.
fn unknown(why: &ToolError) -> ToolError {
    ToolError::failed(format!(
        "this call began, and what it came to is not recorded; it is not known whether it took effect, and it cannot run again: {why}"
    ))
    .with_outcome_unknown()
}
