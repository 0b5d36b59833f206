//! Sessions of agents that calls run.

use std::sync::Arc;

use super::{
    CallRef, PendingCall, PendingCallReason, Session, SessionError, Status, WaitingCall, find,
};
use crate::CheckpointId;

/// A call may run an agent ([`AgentTool`](crate::AgentTool)), in a conversation of its own. Where that
/// waits for somebody, the call is pending as [`PendingCallReason::Agent`], and its conversation is kept here.
///
/// A question that it asks is this session's too: [`reply`](Self::reply) and [`answer`](Self::answer)
/// go to it. Everything else is said to the sub-session.
impl Session {
    /// The conversation of the agent that a pending call runs, if it does.
    pub fn sub_session<'a>(&self, call: impl Into<CallRef<'a>>) -> Option<&Session> {
        let place = self.place_of_sub(call.into()).ok()?;
        self.waits.get(place)?.sub.as_deref()
    }

    /// Says something to the conversation of the agent that a pending call runs: a decision about one of
    /// its calls, a result, words. It goes on when an agent runs this session next.
    ///
    /// ```no_run
    /// # use toolwright::agent::{Session, SessionError};
    /// # use toolwright::Decision;
    /// # fn approve(session: &mut Session) -> Result<(), SessionError> {
    /// session.in_sub_session("c1", |sub| sub.decide("x7", Decision::Approve))
    /// # }
    /// ```
    ///
    /// # Errors
    /// When no such call is pending, several are, or it runs no agent; and what `say` refuses.
    pub fn in_sub_session<'a, T>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        say: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        let call = call.into();
        let place = self.place_of_sub(call)?;
        let sub = self.waits.get_mut(place).and_then(|wait| wait.sub.as_mut());
        let sub = sub.ok_or_else(|| SessionError::UnknownCall(call.to_string()))?;
        let said = say(sub)?;
        if self.awaits() {
            self.settle();
        }
        Ok(said)
    }

    /// Makes the session a branch behind this checkpoint: its calls become other calls.
    pub(crate) fn branch_off(&mut self, behind: Option<CheckpointId>) {
        self.branch = behind;
        self.rename_subs();
    }

    /// Gives all sub-sessions new ids, for calls of another run. The originals may have gone on since, so the copies
    /// are sessions that were never saved.
    fn rename_subs(&mut self) {
        let (run, turn) = (self.run_id(), self.turn());
        for wait in &mut self.waits {
            let Some(sub) = &mut wait.sub else { continue };
            let key = format!("{run}/{turn}/{}/{}", wait.index, wait.call.id);
            sub.id = id_of(&key, &self.born);
            sub.saved = None;
            sub.rename_subs();
        }
    }

    /// Returns the position in `waits` of a call that runs an agent.
    fn place_of_sub(&self, call: CallRef<'_>) -> Result<usize, SessionError> {
        let mut pending = self.pending();
        pending.retain(|pending| self.wait(pending.index).is_some());
        let found = find(pending.iter().map(PendingCall::key), call)?;
        let index = pending.get(found).map(|pending| pending.index);
        let place = self
            .waits
            .iter()
            .position(|wait| Some(wait.index) == index && wait.sub.is_some());
        place.ok_or_else(|| SessionError::UnknownCall(call.to_string()))
    }

    /// Returns true if an agent can run the session as it stands.
    pub(crate) fn goes_on(&self) -> bool {
        match &self.status {
            Status::Idle | Status::Interrupted { .. } | Status::Completed => true,
            Status::AwaitingTools | Status::AwaitingUser { .. } => self.is_decided(),
            Status::Failed { .. } => false,
        }
    }

    /// Returns the sub-session of the call at this place, if there is one.
    pub(super) fn asking(&mut self, index: usize) -> Option<&mut Session> {
        self.wait_mut(index)?.sub.as_deref_mut()
    }
}

/// Returns the session id of the agent that the call with this key runs, in the session with this mark. It stays the
/// same when the call is made again.
pub(crate) fn id_of(key: &str, born: &str) -> Arc<str> {
    format!("{key}@{born}").into()
}

impl WaitingCall {
    /// Returns true if the call runs an agent that can go on.
    pub(crate) fn goes_on(&self) -> bool {
        self.reason == PendingCallReason::Agent
            && self.sub.as_ref().is_some_and(|sub| sub.goes_on())
    }
}
