//! Sub-sessions: sessions of agents that calls run.

use std::sync::Arc;

use toolwright_runtime::tool::CallPlace;

use super::{
    CallRef, PendingCall, PendingCallReason, Session, SessionError, Status, WaitingCall, find,
};
use crate::store::CheckpointId;

/// Sessions of agents that calls run. A call may run an agent ([`AgentTool`](crate::AgentTool)) in a conversation of
/// its own. If the agent waits for input, the call is pending as [`PendingCallReason::Agent`], and its session is
/// stored here.
///
/// Its first question is this session's too: [`reply`](Self::reply) and [`answer`](Self::answer) go to it. All other
/// input goes to the sub-session.
impl Session {
    /// Returns the session of the agent that a pending call runs.
    pub fn sub_session<'a>(&self, call: impl Into<CallRef<'a>>) -> Option<&Session> {
        let place = self.place_of_sub(call.into()).ok()?;
        self.waits.get(place)?.sub.as_deref()
    }

    /// Gives input to the session of the agent that a pending call runs: a decision about one of its calls, a result, a
    /// message. It continues when an agent runs this session.
    ///
    /// ```no_run
    /// # use toolwright::agent::{Session, session::SessionError};
    /// # use toolwright::call::Decision;
    /// # fn approve(session: &mut Session) -> Result<(), SessionError> {
    /// session.in_sub_session("c1", |sub| sub.decide("x7", Decision::Approve))
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if no such call is pending, if several are, if the call runs no agent, or if `say` fails.
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

    /// Gives input to the call at the end of a path through the agents in calls: with the session that has the call, and the call in
    /// it. [`Agent::waiting`](crate::Agent::waiting) lists the paths.
    ///
    /// ```no_run
    /// # use toolwright::agent::{Session, session::SessionError};
    /// # use toolwright::call::Decision;
    /// # fn approve(session: &mut Session, path: &[usize]) -> Result<(), SessionError> {
    /// session.at_path(path, |session, call| session.decide(call, Decision::Approve))
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`in_sub_session`](Self::in_sub_session). Fails also if the path is empty.
    pub fn at_path<'a, T, P>(
        &mut self,
        path: &[P],
        say: impl FnOnce(&mut Session, CallRef<'a>) -> Result<T, SessionError>,
    ) -> Result<T, SessionError>
    where
        P: Copy + Into<CallRef<'a>>,
    {
        match path {
            [] => Err(SessionError::UnknownCall(String::new())),
            [call] => say(self, (*call).into()),
            [call, inside @ ..] => {
                self.in_sub_session(*call, |session| session.at_path(inside, say))
            }
        }
    }

    /// Makes the session a branch after this checkpoint. Its calls get other idempotency keys.
    pub(crate) fn branch_off(&mut self, behind: Option<CheckpointId>) {
        self.branch = behind;
        self.rename_subs();
    }

    /// Gives all sub-sessions new ids and marks them as never saved. The originals may have continued.
    fn rename_subs(&mut self) {
        let (run, turn) = (self.run_id(), self.turn());
        for wait in &mut self.waits {
            let Some(sub) = &mut wait.sub else { continue };
            let place = CallPlace::new(&run, turn, wait.index, &*wait.call.id);
            sub.id = id_of(&place.key(), &self.born);
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

/// Returns the session id of the agent that a call runs, from the call's key and the calling session's mark. A repeated
/// call has the same id.
pub(crate) fn id_of(key: &str, born: &str) -> Arc<str> {
    format!("{key}@{born}").into()
}

impl WaitingCall {
    /// Returns true if the call runs an agent that can continue.
    pub(crate) fn goes_on(&self) -> bool {
        self.reason == PendingCallReason::Agent
            && self.sub.as_ref().is_some_and(|sub| sub.goes_on())
    }
}
