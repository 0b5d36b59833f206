//! Decisions about pending calls.

use toolwright_runtime::Decision;

use super::{CallRef, PendingCallReason, PendingCalls, Session, SessionError, WaitingCall};
use crate::digest;

impl Session {
    /// Takes what a person says to a pending call. It is carried out when an agent runs the session
    /// next; calls that nobody has decided about stay pending. Until then it can be said anew.
    ///
    /// Every call that is pending can be decided about, whatever the session waits for beside it and
    /// however its last run ended. Calls whose turn to run has not come ([`PendingCallReason::NotRun`]: at an interrupt before
    /// tools, behind a limit) run as the model wrote them where nobody decides about them.
    ///
    /// A decision is bound to what was shown. An approval runs exactly those arguments: where the tool,
    /// its schema, or the call in a stored session has changed since, the call waits on, and can be edited,
    /// answered or rejected. This is for mistakes and not for thieves: whoever can write the store can
    /// write what was shown, too. Edited arguments are read and validated;
    /// wrong ones keep the call waiting too. Both are [`AgentError::Decision`](crate::AgentError::Decision)
    /// of the run, which runs nothing then.
    ///
    /// # Errors
    /// When no such call is pending, or several are; nothing changes.
    pub fn decide<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        decision: Decision,
    ) -> Result<(), SessionError> {
        self.decide_all([(call.into(), decision)])
    }

    /// Takes decisions about several calls: all of them, or none on an error.
    ///
    /// # Errors
    /// See [`decide`](Self::decide).
    pub fn decide_all<'a>(
        &mut self,
        decisions: impl IntoIterator<Item = (CallRef<'a>, Decision)>,
    ) -> Result<(), SessionError> {
        let mut pending = PendingCalls::new(self.pending());
        self.allow("decision", !pending.is_empty())?;
        let mut decided = Vec::new();
        for (call, decision) in decisions {
            decided.push((pending.take(call)?, decision));
        }
        for (pending, decision) in decided {
            let index = pending.index;
            if self.wait(index).is_none() {
                let digest = digest::of_call(&pending.call);
                self.put_wait(WaitingCall::new(pending, digest));
            }
            if let Some(wait) = self.wait_mut(index) {
                wait.decision = Some(decision);
            }
        }
        Ok(())
    }

    /// Returns the calls of unknown outcome that were approved to run again: their places, and the revisions of the
    /// records that were shown.
    pub(crate) fn again(&self) -> impl Iterator<Item = (usize, u64)> {
        let again = |wait: &WaitingCall| match (&wait.reason, &wait.decision) {
            (
                PendingCallReason::OutcomeUnknown { record },
                Some(Decision::Approve | Decision::Edit(_)),
            ) => Some((wait.index, *record)),
            _ => None,
        };
        self.waits.iter().filter_map(again)
    }

    /// Returns true if a decision is not carried out yet, here or in an agent that a call runs.
    pub(crate) fn is_decided(&self) -> bool {
        let decided = |wait: &WaitingCall| wait.decision.is_some() || wait.goes_on();
        self.waits.iter().any(decided)
    }
}
