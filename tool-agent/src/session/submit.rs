//! Results of calls that the host runs.

use serde::Serialize;
use toolwright_runtime::{Encoder, Outcome, ToolCall, ToolError, ToolResult};

use super::{CallRef, PendingCall, Session, SessionError, find};
use crate::ToolMessage;

impl Session {
    /// Takes the result of a pending call, which may be any value, while the session waits for calls, be it
    /// that a tool asks beside them. When none is pending any more the session can be run.
    ///
    /// # Errors
    /// When no such call is pending, or several are; nothing changes.
    pub fn submit<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        value: impl Serialize,
    ) -> Result<(), SessionError> {
        self.submit_all([(call.into(), Ok(Outcome::value(value)))])
    }

    /// The same for several calls, with failures too: all of them, or on an error none.
    ///
    /// # Errors
    /// See [`submit`](Self::submit).
    pub fn submit_all<'a>(
        &mut self,
        results: impl IntoIterator<Item = (CallRef<'a>, Result<Outcome, ToolError>)>,
    ) -> Result<(), SessionError> {
        let mut pending = self.pending();
        self.allow("result of a tool", self.awaits() && !pending.is_empty())?;
        let mut answers = Vec::new();
        for (call, outcome) in results {
            let place = find(pending.iter().map(PendingCall::key), call)?;
            let PendingCall { index, call, .. } = pending.remove(place);
            answers.push(answer_of(index, &call, outcome)?);
        }
        for answer in answers {
            self.take_answer(answer);
        }
        self.settle();
        Ok(())
    }

    pub(crate) fn take_answer(&mut self, answer: ToolMessage) {
        self.take_wait(answer.index);
        self.thread.answer(answer);
    }
}

pub(crate) fn answer_of(
    index: usize,
    call: &ToolCall,
    outcome: Result<Outcome, ToolError>,
) -> Result<ToolMessage, SessionError> {
    let given = outcome.is_ok();
    let result = ToolResult::new(call, outcome);
    match &result.outcome {
        Err(error) if given => Err(SessionError::Unwritable(error.to_string())),
        _ => Ok(ToolMessage::of(index, &result, Encoder::auto())),
    }
}
