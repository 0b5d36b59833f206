//! Unanswered calls that were made, or shown, with an earlier version of their tools.

use serde_json::json;
use toolwright_provider::call::{ToolCall, ToolError};
use toolwright_runtime::executor::{Pending, PendingReason};
use toolwright_runtime::tool::{Context, Decision};
use toolwright_runtime::toolset::Toolset;

use super::{Session, WaitingCall};
use crate::agent::Agent;
use crate::digest;
use crate::store::journal::unknown;

/// A call that runs no more.
pub(crate) struct RefusedCall {
    pub(crate) index: usize,
    pub(crate) call: ToolCall,
    pub(crate) error: ToolError,
}

impl Session {
    /// Notes which tools the last turn's calls are made for. A call by an old name of a tool is made for none.
    pub(crate) fn note_tools(&mut self, tools: &Toolset) {
        let calls = self.thread.last_calls().iter().enumerate();
        let calls = calls.filter(|(_, call)| {
            let tool = tools.get(&call.name);
            tool.is_some_and(|tool| *tool.def().name == *call.name)
        });
        let digests = calls.map(|(index, call)| (index, digest::of_tool(&call.name, tools)));
        self.made_for = digests.collect();
    }

    /// Returns true if a call was made for another version of its tool. It may use names of then.
    pub(crate) fn is_stored(&self, index: usize, call: &ToolCall, tools: &Toolset) -> bool {
        let made_for = self.made_for.get(&index);
        made_for.is_some_and(|digest| *digest != digest::of_tool(&call.name, tools))
    }

    /// Returns the calls of earlier versions that these tools refuse, each with whether its tool is still there. Calls that
    /// wait without an approval, or were changed in the store, are left as they are.
    pub(crate) fn refused(&self, tools: &Toolset, cx: &Context) -> Vec<(bool, RefusedCall)> {
        let mut refused = Vec::new();
        for Pending { index, call, .. } in self.pending() {
            let is_there = tools.get(&call.name).is_some();
            let runs = self.wait(index).is_none_or(|wait| {
                is_there && wait.decision == Some(Decision::Approve) && wait.is_intact()
            });
            if runs
                && self.is_stored(index, &call, tools)
                && let Err(error) = tools.__validate_stored(&call, cx)
            {
                refused.push((is_there, RefusedCall { index, call, error }));
            }
        }
        refused
    }

    /// Returns the calls that a person rejected, answered or edited although a dropped run may have begun them: those that were shown
    /// as not run, and those that a tool or a layer did not ask about. An edit of which a run has read this before is not among them.
    pub(crate) fn decided_otherwise(&self) -> Vec<RefusedCall> {
        let is_decided = |wait: &&WaitingCall| {
            let is_otherwise = match &wait.decision {
                Some(Decision::Reject(_) | Decision::Answer(_)) => true,
                Some(Decision::Edit(_)) => !wait.edited && wait.edited().is_some(),
                _ => false,
            };
            // The tool of a paused call reads the decision.
            is_otherwise && wait.paused.is_none() && wait.reason == PendingReason::NotRun
        };
        let decided = self.waits.iter().filter(is_decided);
        let all = decided.map(|wait| RefusedCall {
            index: wait.index,
            call: wait.call.clone(),
            error: unknown(),
        });
        all.collect()
    }

    /// Returns true if a person edited the call at this place.
    pub(crate) fn is_edited(&self, index: usize) -> bool {
        let decision = self.wait(index).and_then(|wait| wait.decision.as_ref());
        matches!(decision, Some(Decision::Edit(_)))
    }

    /// Notes that a run has compared the edits of calls with their records. From here on such a call begins with the edit.
    pub(crate) fn note_edits(&mut self) {
        for wait in &mut self.waits {
            wait.edited |= wait.reason == PendingReason::NotRun && wait.edited().is_some();
        }
    }

    /// Takes back the decision about a call that an earlier run began, and of whose end nothing is known. People see that.
    pub(crate) fn is_unknown(&mut self, call: &RefusedCall, revision: u64, tools: &Toolset) {
        let Some(wait) = self.wait(call.index) else {
            // The host knows its result.
            return;
        };
        let reason = PendingReason::OutcomeUnknown(call.error.to_string());
        let pending = Pending::new(call.index, wait.call.clone(), reason);
        let unknown = WaitingCall::new(pending, digest::of_tool(&call.call.name, tools));
        let record = self.saved.map(|_| revision);
        self.put_wait(unknown.with_record(record));
    }

    /// Shows calls again whose tools have changed since they were shown, also those of agents in calls. An approval or an
    /// edit of before does not count.
    pub(crate) fn show_again(&mut self, tools: &Toolset, cx: &Context) {
        for wait in &mut self.waits {
            let Some(tool) = tools.get(&wait.call.name) else {
                continue;
            };
            if let (Some(agent), Some(sub)) = (Agent::of_tool(&**tool), &mut wait.sub) {
                let active = agent.active_agent(sub).unwrap_or(agent);
                sub.show_again(&active.executor().tools(cx), cx);
            }
            let today = digest::of_tool(&wait.call.name, tools);
            // What was changed in the store is refused.
            if wait.tool.is_empty() || wait.tool == today || !wait.is_intact() {
                continue;
            }
            let is_dropped = matches!(wait.decision, Some(Decision::Approve | Decision::Edit(_)));
            if is_dropped {
                wait.take_back();
            }
            if !is_dropped && !matches!(wait.reason, PendingReason::Decision(_)) {
                continue;
            }
            // People see that it is another question.
            if !matches!(
                wait.reason,
                PendingReason::Agent | PendingReason::OutcomeUnknown(_)
            ) {
                let why = "the tool has changed since the call was shown";
                let tool = today.get(..8);
                wait.reason = PendingReason::Decision(json!({ "why": why, "tool": tool }));
            }
            wait.digest = digest::of(&wait.call, &today, wait.record);
            wait.tool = today;
        }
    }
}
