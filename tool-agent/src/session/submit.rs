//! Results of calls that the host runs.

use serde::Serialize;
use toolwright_runtime::{Encoder, Outcome, ToolCall, ToolError, ToolResult};

use super::{CallRef, PendingCall, Session, SessionError, find};
use crate::ToolMessage;

impl Session {
    /// Takes the result of a pending call, which may be any value. When none is pending any more the
    /// session can be run.
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
        self.allow("result of a tool", self.awaits_calls())?;
        let mut pending = self.pending();
        let mut answers = Vec::new();
        for (call, outcome) in results {
            let place = find(&pending, call)?;
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
        self.waits.retain(|wait| wait.index != answer.index);
        self.thread.answer(answer);
    }
}

pub(super) fn answer_to(
    index: usize,
    call: &ToolCall,
    outcome: Outcome,
) -> Result<ToolMessage, SessionError> {
    answer_of(index, call, Ok(outcome))
}

fn answer_of(
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
