//! The tools node: runs the calls of a turn and records their outcomes.
//!
//! Decided calls run before the others. An outcome goes to the thread, to the list of waiting calls, or is discarded if
//! the journal could not be written: a call that is not recorded must not look answered.

use std::collections::BTreeSet;

use toolwright_provider::call::{ErrorKind, Outcome, ToolCall, ToolError, ToolResult};
use toolwright_provider::wire::MCP_APPROVAL;
use toolwright_runtime::executor::{Batch, CallPlan, Halted, Pending, PendingReason, Reply, Turn};
use toolwright_runtime::tool::Decision;
use toolwright_runtime::toolset::Toolset;

use super::tools_visit::ToolsVisit;
use super::{Engine, VisitResult};
use crate::agent::sub_sessions::{SubSessions, Unattended};
use crate::digest;
use crate::run::RunEnd;
use crate::session::{Node, SettledCall, Status, WaitingCall};
use crate::thread::{ThreadMessage, ToolMessage};
use crate::tool_node::plans;

/// Returns true if the call is the question of a provider's own tool. The host may have a tool of that name, which answers it.
fn is_approval(call: &ToolCall, tools: &Toolset) -> bool {
    &*call.name == MCP_APPROVAL && tools.get(&call.name).is_none()
}

fn is_cancelled(outcome: &Result<Outcome, ToolError>) -> bool {
    matches!(outcome, Err(error) if error.kind() == ErrorKind::Cancelled)
}

impl Engine<'_> {
    pub(super) async fn visit_tools(&mut self) -> VisitResult {
        let halted = self.run_calls().await?;
        if halted.is_none()
            && self.session.thread.unanswered().is_empty()
            && self.take_input().await
        {
            self.session.at.node = Node::Model;
        }
        Ok(halted)
    }

    async fn run_calls(&mut self) -> VisitResult {
        self.journal = None;
        if self.session.thread.unanswered().is_empty() && self.session.settled.is_empty() {
            // The host has answered the remaining calls.
            self.session.settle();
            return Ok(self.session.ending());
        }
        let cx = self.context();
        let tools = self.active_agent().executor.tools(&cx);
        self.hold_approvals(&tools);
        let mut decided = self.session.decided(&tools, &cx)?;
        for one in &mut decided {
            if one.decision == Decision::Approve && is_approval(&one.call, &tools) {
                one.decision = Decision::Answer(true.into());
            }
        }
        let settled = self.session.settled.clone();
        decided.extend(settled.iter().map(SettledCall::decided));
        decided.sort_by_key(|one| one.place);
        let unsaved = self.unsaved.take();
        let visit = self.tools_visit(&tools, unsaved)?;
        self.journal.clone_from(&visit.journal);
        self.subs.clone_from(&visit.subs);
        let at = &mut self.session.at;
        let is_new = at.counted != Some(at.turn);
        if is_new {
            self.rounds += 1;
            // Saturating, because the session may come from foreign storage.
            at.rounds = at.rounds.saturating_add(1);
            at.counted = Some(at.turn);
        }
        if !decided.is_empty() {
            let executor = self.executor(&visit);
            let places: Vec<_> = decided.iter().map(|one| one.place).collect();
            let answers = settled.iter().filter_map(|one| {
                let index = places.binary_search(&one.index).ok()?;
                Some((index, &one.outcome))
            });
            let turn = Turn::from(&decided).answered(answers);
            let batch = executor.run(turn, &self.call_context(&visit)).await;
            visit.settle().await;
            let halted = self.take(&places, &batch, &places, &visit)?;
            // As in a batch, siblings of a call that ends the run still run.
            let stops = batch.halts().iter().any(|halt| {
                use Halted::{Aborted, AskUser, Cancelled};
                matches!(halt, Cancelled | Aborted { .. } | AskUser { .. })
            });
            if stops || self.not_run().is_empty() {
                return Ok(halted);
            }
        }
        let places = self.not_run();
        if !is_new {
            self.rounds += 1;
        }
        let calls = self.session.thread.last_calls();
        let all: Vec<_> = (0..calls.len()).collect();
        let mut plans = plans(calls, &places);
        for (index, (plan, call)) in plans.iter_mut().zip(calls).enumerate() {
            if *plan == CallPlan::Run && self.session.is_stored(index, call, &tools) {
                *plan = CallPlan::Stored;
            }
        }
        let executor = self.executor(&visit);
        let batch = executor
            .run(Turn::planned(calls, &plans), &self.call_context(&visit))
            .await;
        visit.settle().await;
        self.take(&all, &batch, &places, &visit)
    }

    /// Lets a person decide where a tool of the provider asks whether it may run. The question is shown as the provider wrote it.
    fn hold_approvals(&mut self, tools: &Toolset) {
        for index in self.not_run() {
            let call = self.session.thread.last_calls().get(index).cloned();
            let Some(call) = call.filter(|call| is_approval(call, tools)) else {
                continue;
            };
            let messages = self.session.thread.messages().iter().rev();
            let mut hosted = messages.flat_map(|message| match message {
                ThreadMessage::Assistant(said) => &*said.hosted,
                _ => &[],
            });
            let shown = hosted.find(|hosted| hosted.id == *call.id);
            let shown = shown.and_then(|shown| serde_json::from_str(&shown.call).ok());
            let reason = PendingReason::Decision(shown.unwrap_or_default());
            let tool = digest::of_tool(&call.name, tools);
            let pending = Pending::new(index, call, reason);
            self.session.put_wait(WaitingCall::new(pending, tool));
        }
    }

    /// Returns true if the end of the batch stands in place of an answer that was given outside of a run. That one counts.
    fn hides_answer(&self, index: usize, result: &ToolResult) -> bool {
        let is_given = |one: &SettledCall| {
            one.index == index && !is_cancelled(&one.outcome.clone().into_outcome())
        };
        is_cancelled(&result.outcome) && self.session.settled.iter().any(is_given)
    }

    /// Returns the places of the calls that have not run yet.
    fn not_run(&self) -> Vec<usize> {
        let open = self.session.pending().into_iter();
        let open = open.filter(|pending| pending.reason == PendingReason::NotRun);
        open.map(|pending| pending.index).collect()
    }

    /// Records the digests of calls that are about to run. Decisions about the calls are bound to these digests.
    pub(super) fn show_calls(&mut self) {
        let mut pending = self.session.pending().into_iter();
        if pending.all(|pending| self.session.wait(pending.index).is_some()) {
            return;
        }
        let tools = self.active_agent().executor.tools(&self.context());
        for pending in self.session.pending() {
            if self.session.wait(pending.index).is_none() {
                let tool = digest::of_tool(&pending.call.name, &tools);
                self.session.put_wait(WaitingCall::new(pending, tool));
            }
        }
    }

    /// Records the outcomes of calls. `places` maps the batch's calls to places in the turn; `ran` holds the places
    /// that were to run. Fails if the journal or a sub-session could not be saved; the batch is discarded then.
    fn take(
        &mut self,
        places: &[usize],
        batch: &Batch,
        ran: &[usize],
        visit: &ToolsVisit,
    ) -> VisitResult {
        if let Some(error) = visit.failure() {
            self.subs = None;
            return Err(error.into());
        }
        self.session.forget_begun(ran.iter().copied());
        // State from the host's context is not stored in the session.
        let state = std::mem::take(&mut self.session.state);
        let updates = batch.updates().iter().cloned();
        self.session.state = updates.fold(state, |state, (name, value)| state.with(name, value));
        self.count();
        let active_agent = self.active_agent();
        let reports_edits = self.reports_edits();
        // Visible tools after the turn; computed once a call waits.
        let mut tools = None;
        let ran: BTreeSet<_> = ran.iter().copied().collect();
        let (mut direct, mut answers, mut held_back) = (None, Vec::new(), None);
        for (reply, &index) in batch.calls().iter().zip(places) {
            if !ran.contains(&index) {
                continue;
            }
            match reply {
                Reply::Answered(result) if self.hides_answer(index, result) => {}
                Reply::Answered(result) => {
                    let changed = self
                        .hands_over(result)
                        .or_else(|| self.for_computed(result));
                    let result = changed.as_ref().unwrap_or(result);
                    if let Ok(Outcome::ReturnDirect(value)) = &result.outcome {
                        direct = Some((index, value.to_plain().into_owned()));
                    }
                    let mut answer = ToolMessage::of(index, result, active_agent.encoder);
                    if reports_edits {
                        let context = || self.context();
                        let tools =
                            tools.get_or_insert_with(|| active_agent.executor.tools(&context()));
                        self.session
                            .report_edit(&mut answer, tools, active_agent.encoder);
                    }
                    answers.push(answer);
                }
                Reply::Pending(pending) => {
                    let before = self.session.take_wait(index);
                    let tools =
                        tools.get_or_insert_with(|| active_agent.executor.tools(&self.context()));
                    let tool = digest::of_tool(&pending.call.name, tools);
                    let (wait, error) = visit.waiting(index, pending, tool, before);
                    self.session.put_wait(wait);
                    if let Some(error) = error {
                        held_back.get_or_insert(error);
                    }
                }
            }
        }
        self.session.take_answers(answers);
        let ends = self.take_endings(places, batch);
        self.session.publish_open();
        self.session.settle();
        let mut halted = self.halted(batch, direct, ends);
        let spent = visit.subs.as_ref().and_then(SubSessions::take_spent);
        if spent.is_some() && matches!(halted, Some(RunEnd::Pending)) && self.session.is_decided() {
            halted = spent;
        }
        self.emit_handed_over();
        let refused = visit.subs.as_ref().and_then(SubSessions::take_refused);
        if let Some(error) = refused.or(held_back) {
            return Err(error);
        }
        Ok(halted)
    }

    /// Records which call ends the run once all calls of the turn are answered. Returns the first such reason, unchanged.
    fn take_endings(&mut self, places: &[usize], batch: &Batch) -> Option<RunEnd> {
        let mut first = None;
        for halt in batch.halts() {
            let (Halted::Aborted { index }
            | Halted::ToolError { index }
            | Halted::Halt { index, .. }) = halt
            else {
                continue;
            };
            let result = batch.calls().get(*index).and_then(Reply::answered);
            let (Some(result), Some(&index)) = (result, places.get(*index)) else {
                continue;
            };
            if self.agent.handed_to(result).is_some() && !self.is_step {
                continue;
            }
            let is_first = self.session.ends_with(index, result);
            if is_first {
                first = Some(match (&result.outcome, halt) {
                    (Err(error), _) => RunEnd::ToolError(error.clone()),
                    (Ok(_), Halted::Halt { reason, value, .. }) => RunEnd::Halt {
                        index,
                        id: result.id.clone(),
                        reason: reason.clone(),
                        value: value.clone(),
                    },
                    (Ok(_), _) => continue,
                });
            }
        }
        first
    }

    /// Records the agent that the answer hands the conversation over to. If several answers of a turn do, the first one counts, and
    /// this is the error of the others.
    fn hands_over(&mut self, result: &ToolResult) -> Option<ToolResult> {
        let agent = self.agent.handed_to(result).filter(|_| !self.is_step)?;
        let Some(first) = &self.session.next_agent else {
            self.session.next_agent = Some(agent);
            return None;
        };
        let words = format!("this turn hands the conversation over to `{first}` already");
        let call = ToolCall::new(result.id.clone(), result.name.clone(), "");
        Some(ToolResult::new(
            &call,
            Err(ToolError::new(ErrorKind::Rejected, words)),
        ))
    }

    /// Returns the result as a computed model reads it, if that differs.
    fn for_computed(&self, result: &ToolResult) -> Option<ToolResult> {
        if !self.active_agent().model.__is_computed() {
            return None;
        }
        let outcome = match &result.outcome {
            Ok(Outcome::ReturnDirect(value)) => Ok(Outcome::Value(value.clone())),
            Ok(Outcome::AskUser { question, .. }) if self.host.get::<Unattended>().is_some() => {
                let words = format!("the tool asks, and nobody can be asked here: {question}");
                Err(ToolError::failed(words).permanent())
            }
            _ => return None,
        };
        let mut result = result.clone();
        result.outcome = outcome;
        Some(result)
    }

    /// Returns the reason to end the run here. If there are several, the first in this order counts. `ends` is the
    /// reason given by the batch's own calls.
    fn halted(
        &self,
        batch: &Batch,
        direct: Option<(usize, String)>,
        ends: Option<RunEnd>,
    ) -> Option<RunEnd> {
        let session = &self.session;
        match batch.halted() {
            Some(Halted::Cancelled) => return Some(RunEnd::Cancelled),
            Some(Halted::Aborted { .. }) => {
                let error = batch.error().cloned();
                return Some(error.map_or(RunEnd::Cancelled, RunEnd::ToolError));
            }
            _ => {}
        }
        if let Some(Status::AwaitingUser {
            index,
            id,
            question,
            options,
        }) = session.question()
        {
            return Some(RunEnd::AskUser {
                index,
                id,
                question,
                options,
            });
        }
        if let Some(ending) = session.ending() {
            return Some(ends.unwrap_or(ending));
        }
        if session.is_left() {
            return Some(RunEnd::Pending);
        }
        // After a pause, the batch knows only a part of the turn.
        let last = session.thread.direct()?;
        Some(RunEnd::ReturnDirect(match direct {
            Some((index, text)) if index == last.index => text,
            _ => last.text.clone(),
        }))
    }
}
