//! Decisions of people about pending calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use toolwright_provider::call::{ErrorKind, Outcome, StoredOutcome, ToolCall, ToolError};
use toolwright_runtime::executor::{DecidedCall, PendingReason};
use toolwright_runtime::tool::{Context, Decision, OpenCall, OpenCallError, OpenCallState};
use toolwright_runtime::toolset::Toolset;

use super::sub::Inputs;
use super::{CallRef, PendingCalls, Session, SessionError, WaitingCall};
use crate::agent::Agent;
use crate::digest;
use crate::run::AgentError;

impl Session {
    /// Records a person's decision about a pending call. The next run carries it out. Until then, another decision about the
    /// call is an error. Calls without a decision stay pending. A [question](Self::questions) is answered or rejected at
    /// once, unless its tool goes on with the answer: such an answer has to fit the option `schema` of the question, and
    /// the next run takes it to the tool.
    ///
    /// Every pending call can be decided, whatever the session waits for and however its last run ended. A call that
    /// only waits for its turn ([`PendingReason::NotRun`]) runs as the model wrote it, unless it is decided.
    ///
    /// # Approvals are bound to what was shown
    ///
    /// An approval runs exactly the arguments that were shown. If the tool's name, description, hints or schema have
    /// changed since, the approval does not count, and the call is pending again.
    ///
    /// If the stored call was changed, or its tool is gone, the call stays pending, and can be edited, answered or rejected.
    /// Edited arguments are decoded and validated, and an invalid edit leaves the call pending too. In these cases the run
    /// fails with [`AgentError::Decision`] and runs nothing.
    ///
    /// A dropped run may have begun a call that is [listed as not run](PendingReason::NotRun) and then rejected or answered. If its
    /// outcome is recorded, that is the answer. If it is not, and the tool is neither read-only nor idempotent, the decision is
    /// taken back, and the call waits with an [unknown outcome](PendingReason::OutcomeUnknown).
    ///
    /// This protects from mistakes, not
    /// from attackers: whoever can write the store can also write what was shown.
    ///
    /// # Errors
    /// Fails if no such call is pending, or several are, if it is [decided](SessionError::Decided) already, or if an approval is for a call whose agent waits for somebody
    /// [inside](SessionError::WaitsInside) or whose tool [asks](SessionError::NeedsAnswer), or if an answer does not
    /// [fit](SessionError::InvalidAnswer). Nothing changes then.
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
        let (earlier, decisions): (Vec<_>, Vec<_>) = decisions
            .into_iter()
            .partition(|(call, _)| self.is_of_earlier_turns(call));
        let mut pending = self.pending();
        pending.extend(self.thread.questions());
        let mut pending = PendingCalls::new(pending);
        self.allow("decision", !pending.is_empty() || !earlier.is_empty())?;
        let (own, inside) = self.split(decisions)?;
        let inside = self.give_inside(inside, Self::decide_all)?;
        let (mut decided, mut answers) = (Vec::new(), Vec::new());
        for (call, decision) in own {
            let pending = pending.take(&call)?;
            self.check_undecided(pending.index)?;
            if let Some(question) = pending.reason.question() {
                let is_result = self.wait(pending.index).is_none();
                if let (Decision::Answer(answer), false) = (&decision, is_result) {
                    question
                        .check(answer)
                        .map_err(SessionError::InvalidAnswer)?;
                }
                let outcome = outcome_of(&pending.call, decision.clone())?;
                if is_result {
                    answers.push((pending, outcome));
                    continue;
                }
            }
            if decision == Decision::Approve
                && let Some(path) = self.waits_inside(pending.index)
            {
                return Err(SessionError::WaitsInside(path));
            }
            decided.push((pending, decision));
        }
        let answers = self.answers(answers)?;
        if !earlier.is_empty() {
            self.decide_earlier(earlier)?;
        }
        let is_decided = !decided.is_empty();
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
        self.put_subs(inside);
        if !answers.is_empty() {
            self.put_answers(answers);
        } else if is_decided && self.awaits() {
            self.settle();
        }
        Ok(())
    }

    /// Returns true if the key is that of an unanswered call of the last turn. A run that was dropped may leave such a call open.
    pub(crate) fn is_pending(&self, key: &str) -> bool {
        let place = self.place_of_key(key);
        place.is_some_and(|place| self.pending().iter().any(|one| one.index == place))
    }

    /// Returns true if the reference names an open call, or a call of a detached agent that paused.
    fn is_of_earlier_turns(&self, call: &CallRef<'_>) -> bool {
        let CallRef::Key(key) = call else {
            return false;
        };
        let is_paused = |paused: &mut Vec<Session>| paused.iter().any(|paused| paused.has_key(key));
        let is_open = self.open().get(key).is_some();
        !self.is_pending(key) && (is_open || self.queue().change_paused(is_paused))
    }

    /// Decides about open calls of unknown outcome, and calls of detached agents: about all of them, or none on an error.
    fn decide_earlier(&self, decisions: Inputs<'_, Decision>) -> Result<(), SessionError> {
        let (open, mut ends, mut inside) = (self.open(), Vec::new(), Vec::new());
        for (call, decision) in decisions {
            let key = call.to_string();
            let Some(OpenCall { call, state, .. }) = open.get(&key) else {
                inside.push((key, decision));
                continue;
            };
            if !matches!(state, OpenCallState::Unknown(_)) {
                return Err(SessionError::UnknownCall(key));
            }
            let outcome = StoredOutcome::new(&call, &outcome_of(&call, decision)?)
                .map_err(|error| SessionError::Unwritable(error.to_string()))?;
            ends.push((key, outcome));
        }
        self.queue().change_paused(|paused| {
            let mut inputs = BTreeMap::<_, Vec<_>>::new();
            for (key, decision) in inside {
                let at = paused.iter().position(|one| one.has_key(&key));
                let at = at.ok_or_else(|| SessionError::UnknownCall(key.clone()))?;
                let input = (CallRef::Key(key.into()), decision);
                inputs.entry(at).or_default().push(input);
            }
            let decided = inputs.into_iter().filter_map(|(at, inputs)| {
                let mut copy = paused.get(at)?.same();
                Some(copy.decide_all(inputs).map(|()| (at, copy)))
            });
            let decided: Vec<_> = decided.collect::<Result<_, _>>()?;
            open.end_all_here(ends).map_err(|error| match error {
                OpenCallError::Ended { key } | OpenCallError::NotOpen { key } => {
                    SessionError::UnknownCall(key)
                }
                other => SessionError::Unwritable(other.to_string()),
            })?;
            for (at, copy) in decided {
                if let Some(one) = paused.get_mut(at) {
                    *one = copy;
                }
            }
            Ok(())
        })
    }

    /// Returns the path of the first call inside of the call at this place that waits for somebody, unless its agent can
    /// go on.
    fn waits_inside(&self, index: usize) -> Option<Vec<usize>> {
        let sub = self.wait(index)?.sub.as_ref()?;
        if sub.goes_on() {
            return None;
        }
        let pending = sub.pending().into_iter();
        let waits = pending.filter(|pending| pending.reason != PendingReason::NotRun);
        let waits = waits.map(|pending| pending.index);
        let asks = sub.thread.questions().into_iter().map(|asks| asks.index);
        let first = asks.chain(waits).min()?;
        let inside = sub.waits_inside(first).unwrap_or_else(|| vec![first]);
        Some(std::iter::once(index).chain(inside).collect())
    }

    /// Returns the decided calls, and the calls whose agents can continue.
    ///
    /// # Errors
    /// Fails if a decision cannot be carried out, here or in the agent that a call runs. The call is pending again then,
    /// without the decision.
    pub(crate) fn decided(
        &mut self,
        tools: &Toolset,
        cx: &Context,
    ) -> Result<Vec<DecidedCall>, AgentError> {
        let (mut decided, mut wrong) = (Vec::new(), None);
        for wait in &mut self.waits {
            let checked = match wait.decision.clone() {
                None if !wait.goes_on() => continue,
                None => wait.continues(tools, cx).map(|()| Decision::Approve),
                Some(decision) => match wait.holds(&decision, tools, cx) {
                    // The tool reads the decision.
                    Ok(()) if wait.resumes(tools) => Ok(Decision::Approve),
                    Ok(()) => Ok(decision),
                    Err(error) => Err(wait.undecided(error)),
                },
            };
            match checked {
                Ok(decision) => decided.push(wait.decided(decision)),
                Err(error) => {
                    wrong.get_or_insert(error.at(wait.index));
                }
            }
        }
        wrong.map_or(Ok(decided), Err)
    }

    /// Returns the calls of unknown outcome that were approved to run again, and those that go on with an answer, by place, with
    /// the record revisions that were shown.
    pub(crate) fn again(&self) -> impl Iterator<Item = (usize, u64)> {
        let again = |wait: &WaitingCall| match &wait.decision {
            Some(Decision::Approve | Decision::Edit(_)) => Some((wait.index, wait.record?)),
            Some(_) if wait.paused.is_some() => Some((wait.index, wait.record?)),
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

/// Returns the outcome of a call that does not run, as a person decided.
fn outcome_of(
    call: &ToolCall,
    decision: Decision,
) -> Result<Result<Outcome, ToolError>, SessionError> {
    let outcome = decision.without_tool();
    outcome.ok_or_else(|| SessionError::NeedsAnswer(call.id.to_string()))
}

impl Session {
    /// Takes back the decisions that no run has carried out, here and in agents that calls run.
    pub(crate) fn take_back_decisions(&mut self) {
        for wait in &mut self.waits {
            wait.take_back();
            if let Some(sub) = &mut wait.sub {
                sub.take_back_decisions();
            }
        }
    }
}

impl WaitingCall {
    /// Takes the decision back, with what a run has [noted](Session::note_edits) about it.
    pub(super) fn take_back(&mut self) {
        self.decision = None;
        self.edited &= self.reason != PendingReason::NotRun;
    }

    /// Checks that a decision holds for the call, and for its tool of today.
    fn holds(&self, decision: &Decision, tools: &Toolset, cx: &Context) -> Result<(), ToolError> {
        let call = &self.call;
        let words = match decision {
            Decision::Approve
                if !self.is_intact()
                    || !self.tool.is_empty() && self.tool != digest::of_tool(&call.name, tools) =>
            {
                "the tool, or the call, has changed since the call was shown, and an approval does not hold for it; \
                 the call can be edited, answered or rejected"
            }
            Decision::Answer(_) if self.paused.is_some() && !self.resumes(tools) => {
                "the tool, or the call, has changed since the tool asked, and takes no answer; the call can be rejected"
            }
            Decision::Edit(_) if self.sub.is_some() => {
                "the call has begun: its arguments can no longer be changed"
            }
            Decision::Edit(arguments) => {
                let edited = call.with_arguments(Arc::clone(arguments));
                return tools.__validate_stored(&edited, cx);
            }
            _ => return Ok(()),
        };
        Err(ToolError::new(ErrorKind::Rejected, words))
    }

    /// Takes back a decision that cannot be carried out.
    fn undecided(&mut self, error: ToolError) -> AgentError {
        self.take_back();
        if self.reason == PendingReason::NotRun {
            // A person decided otherwise, so the call no longer runs by itself.
            self.reason = PendingReason::Decision(json!({ "why": error.to_string() }));
        }
        AgentError::decision(error)
    }

    /// Checks that the agent that the call runs can carry out the decisions in its conversation.
    fn continues(&mut self, tools: &Toolset, cx: &Context) -> Result<(), AgentError> {
        let tool = tools.get(&self.call.name);
        let agent = tool.and_then(|tool| Agent::of_tool(&**tool));
        let (Some(agent), Some(sub)) = (agent, &mut self.sub) else {
            // Otherwise its conversation would be lost, or a tool would run that nobody approved.
            let words = "the agent that the call runs is not there any more; the call can be answered or rejected";
            return Err(AgentError::decision(ToolError::new(
                ErrorKind::Rejected,
                words,
            )));
        };
        let active = agent.active_agent(sub).map_err(AgentError::kept)?;
        sub.decided(&active.executor().tools(cx), cx).map(drop)
    }
}
