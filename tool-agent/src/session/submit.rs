//! Results of pending calls that the host ran.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolwright_provider::call::{Encoder, Outcome, StoredOutcome, ToolCall, ToolError, ToolResult};
use toolwright_runtime::executor::{DecidedCall, Pending};
use toolwright_runtime::tool::{CallPlace, Decision};
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::ShortStr;

use super::{CallRef, PendingCalls, Session, SessionError, WaitingCall};
use crate::thread::ToolMessage;

/// Call that was answered outside of a run. The thread has its answer as plain text. The next run gives the outcome to the
/// executor, which applies all that it does to other outcomes, and replaces the answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SettledCall {
    pub(crate) index: usize,
    call: ToolCall,
    pub(crate) outcome: StoredOutcome,
    /// Arguments that a person gave the call before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edited: Option<Arc<str>>,
}

impl SettledCall {
    /// Returns the call for the executor, which takes the outcome beside it.
    pub(crate) fn decided(&self) -> DecidedCall {
        let decision = Decision::Reject(String::new());
        DecidedCall::new(self.call.clone(), self.index, decision)
    }
}

impl Session {
    /// Records the result of a pending call, which may be any value. The session must wait for input; a tool may ask at
    /// the same time. Once no call is pending, the session can run.
    ///
    /// # Errors
    /// Fails if no such call is pending, or several are. Nothing changes then.
    pub fn submit<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        value: impl Serialize,
    ) -> Result<(), SessionError> {
        self.submit_all([(call.into(), Ok(Outcome::value(value)))])
    }

    /// Records results of several calls, failures included: all of them, or none on an error.
    ///
    /// # Errors
    /// See [`submit`](Self::submit).
    pub fn submit_all<'a>(
        &mut self,
        results: impl IntoIterator<Item = (CallRef<'a>, Result<Outcome, ToolError>)>,
    ) -> Result<(), SessionError> {
        let mut pending = PendingCalls::new(self.pending());
        self.allow("result of a tool", self.awaits() && !pending.is_empty())?;
        let (own, inside) = self.split(results)?;
        let inside = self.give_inside(inside, Self::submit_all)?;
        let mut outcomes = Vec::new();
        for (call, outcome) in own {
            let pending = pending.take(&call)?;
            self.check_undecided(pending.index)?;
            outcomes.push((pending, outcome));
        }
        let answers = self.answers(outcomes)?;
        self.put_subs(inside);
        if !answers.is_empty() {
            self.put_answers(answers);
        }
        Ok(())
    }

    /// Makes answers of these outcomes of pending calls and questions.
    pub(super) fn answers(
        &self,
        outcomes: Vec<(Pending, Result<Outcome, ToolError>)>,
    ) -> Result<Vec<(SettledCall, ToolMessage)>, SessionError> {
        let answers = outcomes.into_iter().map(|(pending, outcome)| {
            let Pending { index, call, .. } = pending;
            let stored = StoredOutcome::new(&call, &outcome)
                .map_err(|error| SessionError::Unwritable(error.to_string()))?;
            let answer = self.thread.answer_to(index, &call, outcome)?;
            let edited = self.wait(index).and_then(WaitingCall::edited);
            let settled = SettledCall {
                index,
                call,
                outcome: stored,
                edited: edited.map(Arc::from),
            };
            Ok((settled, answer))
        });
        answers.collect()
    }

    /// Moves answers to the thread, and their outcomes to the next run.
    pub(super) fn put_answers(&mut self, answers: Vec<(SettledCall, ToolMessage)>) {
        let (settled, answers): (Vec<_>, _) = answers.into_iter().unzip();
        self.take_answers(answers);
        self.settled.extend(settled);
        self.settle();
    }

    /// Moves answers to the thread and removes their calls from `waits`.
    pub(crate) fn take_answers(&mut self, answers: Vec<ToolMessage>) {
        let answered: BTreeSet<_> = answers.iter().map(|answer| answer.index).collect();
        self.waits.retain(|wait| !answered.contains(&wait.index));
        self.settled.retain(|one| !answered.contains(&one.index));
        let answered = answers.iter();
        self.withdraw_open(
            answered.map(|answer| (answer.index, &answer.id, answer.open.as_deref())),
        );
        self.thread.answer_all(answers);
    }

    /// Ends what a run that was dropped has begun for calls of this turn. They are answered otherwise now, by another
    /// attempt that stays open under the key that stands here, for example.
    pub(crate) fn withdraw_open<'a>(
        &self,
        calls: impl IntoIterator<Item = (usize, &'a ShortStr, Option<&'a str>)>,
    ) {
        let open = self.open();
        if open.is_empty() {
            return;
        }
        let (run, turn) = (self.run_id(), self.turn());
        let keys = calls
            .into_iter()
            .map(|(index, id, key)| (CallPlace::new(&run, turn, index, &**id).key(), key));
        let keys: BTreeMap<_, _> = keys.collect();
        for call in open.list() {
            let place = call.place.as_ref().map(CallPlace::first_key);
            let answer = place.and_then(|key| keys.get(&key));
            if answer.is_some_and(|key| *key != Some(&*call.key)) {
                open.withdraw(&call.key);
            }
        }
    }

    /// Says in the answer that a person edited the call's arguments, if somebody did.
    pub(crate) fn report_edit(&self, answer: &mut ToolMessage, tools: &Toolset, encoder: Encoder) {
        if answer.is_direct {
            return;
        }
        let settled = || self.settled.iter().find(|one| one.index == answer.index);
        let settled = || settled()?.edited.as_deref().map(Cow::Borrowed);
        let wait = self.wait(answer.index);
        let Some(arguments) = wait.and_then(WaitingCall::edited).or_else(settled) else {
            // The answer to a question repeats what stands with the question.
            if let Some(shown) = self.thread.edited(answer.index) {
                answer.say_edited(shown, encoder);
            }
            return;
        };
        let tool = tools.get(&answer.name);
        let shown = tool.map(|tool| tool.redacted(&arguments).into_owned());
        answer.say_edited(shown.unwrap_or_else(|| "null".into()), encoder);
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
