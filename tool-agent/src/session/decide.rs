//! Decisions of people about pending calls.

use toolwright_runtime::tool::Decision;

use super::{CallRef, PendingCallReason, PendingCalls, Session, SessionError, WaitingCall};

impl Session {
    /// Records a person's decision about a pending call. The next run carries it out. Until then, a later decision
    /// replaces it. Calls without a decision stay pending.
    ///
    /// Every pending call can be decided, whatever the session waits for and however its last run ended. A call that
    /// only waits for its turn ([`PendingCallReason::NotRun`]) runs as the model wrote it, unless it is decided.
    ///
    /// # Approvals are bound to what was shown
    ///
    /// An approval runs exactly the arguments that were shown. If the tool's name, description, hints or schema have
    /// changed since, the approval does not count, and the call is pending again.
    ///
    /// If the stored call was changed, or its tool is gone, the call stays pending, and can be edited, answered or rejected.
    /// Edited arguments are decoded and validated, and an invalid edit leaves the call pending too. In these cases the run
    /// fails with [`AgentError::Decision`](crate::AgentError::Decision) and runs nothing. This protects from mistakes, not
    /// from attackers: whoever can write the store can also write what was shown.
    ///
    /// # Errors
    /// Fails if no such call is pending, or several are. Nothing changes then.
    pub fn decide<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        decision: Decision,
    ) -> Result<(), SessionError> {
        self.decide_all([(call.into(), decision)])
    }

    /// Records decisions about several calls: all of them, or none on an error.
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
                let tool = self.made_for.get(&index).cloned().unwrap_or_default();
                self.put_wait(WaitingCall::new(pending, tool));
            }
            if let Some(wait) = self.wait_mut(index) {
                wait.decision = Some(decision);
            }
        }
        Ok(())
    }

    /// Returns the calls of unknown outcome that were approved to run again, by place, with the record revisions that
    /// were shown.
    pub(crate) fn again(&self) -> impl Iterator<Item = (usize, u64)> {
        let again = |wait: &WaitingCall| match (&wait.reason, &wait.decision) {
            (
                PendingCallReason::OutcomeUnknown {
                    record: Some(record),
                    ..
                },
                Some(Decision::Approve | Decision::Edit(_)),
            ) => Some((wait.index, *record)),
            _ => None,
        };
        self.waits.iter().filter_map(again)
    }

    /// Returns true if a decision waits for the next run, here or in a sub-session.
    pub(crate) fn is_decided(&self) -> bool {
        let decided = |wait: &WaitingCall| wait.decision.is_some() || wait.goes_on();
        self.waits.iter().any(decided)
    }
}
