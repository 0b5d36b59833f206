//! Unanswered calls that were made for another version of their tools.

use serde_json::json;
use toolwright_provider::call::{ToolCall, ToolError};
use toolwright_runtime::tool::{Context, Decision};
use toolwright_runtime::toolset::Toolset;

use super::{PendingCallReason, Session};
use crate::digest;

/// A call of an earlier version that cannot be made one of today.
pub(crate) struct RefusedCall {
    pub(crate) index: usize,
    /// The call as it was stored.
    pub(crate) call: ToolCall,
    pub(crate) error: ToolError,
}

impl Session {
    /// Notes the versions of the tools that the last turn's calls are for.
    pub(crate) fn note_versions(&mut self, tools: &Toolset) {
        let calls = self.thread.last_calls().iter().enumerate();
        let versions = calls.map(|(index, call)| (index, tools.version(&call.name)));
        let versions = versions.filter(|(_, version)| !version.is_empty());
        self.versions = versions
            .map(|(index, version)| (index, version.to_owned()))
            .collect();
    }

    /// Makes the unanswered calls calls of these tools, and returns those that cannot be. With a context, the arguments
    /// that changed are validated too.
    ///
    /// The model reads its call back as it was migrated, since its answer has the tool's name of today.
    pub(crate) fn migrate(&mut self, tools: &Toolset, cx: Option<&Context>) -> Vec<RefusedCall> {
        let mut refused = Vec::new();
        for pending in self.pending() {
            let (index, call) = (pending.index, pending.call);
            let before = self.versions.get(&index).cloned().unwrap_or_default();
            let migrated = tools.migrate(&call, &before).and_then(|migrated| {
                if let (true, Some(cx)) = (*migrated != call, cx) {
                    tools.validate_call(&migrated, cx)?;
                }
                Ok(migrated.into_owned())
            });
            let migrated = match migrated {
                Ok(migrated) => migrated,
                Err(error) => {
                    // A call that a person rejected is answered with that.
                    let error = match self.wait_mut(index).and_then(|wait| wait.decision.take()) {
                        Some(Decision::Reject(reason)) => Decision::rejected(&reason),
                        _ => error,
                    };
                    refused.push(RefusedCall { index, call, error });
                    continue;
                }
            };
            let today = tools.version(&migrated.name);
            let is_other = migrated != call;
            if is_other || (before != today && tools.contains(&migrated.name)) {
                self.versions.remove(&index);
                if !today.is_empty() {
                    self.versions.insert(index, today.to_owned());
                }
                let is_broken = first_number(&before) != first_number(today);
                self.show_migrated(index, &migrated, (is_other, is_broken), tools);
            }
        }
        refused
    }

    /// Shows a call as it was migrated. What a person decided about other arguments, for another schema, or before a version that
    /// breaks, does not count.
    fn show_migrated(
        &mut self,
        index: usize,
        call: &ToolCall,
        (is_other, is_broken): (bool, bool),
        tools: &Toolset,
    ) {
        if is_other {
            self.thread.replace_last_call(index, call.clone());
        }
        let Some(wait) = self.wait_mut(index) else {
            return;
        };
        let digest = digest::of(call, tools);
        let is_same = !is_other && !is_broken;
        if is_same && [&digest, &digest::of_call(call)].contains(&&wait.digest) {
            return;
        }
        wait.call = call.clone();
        wait.digest = digest;
        let is_for_arguments = matches!(wait.decision, Some(Decision::Approve | Decision::Edit(_)));
        if is_for_arguments {
            wait.decision = None;
        }
        // What a layer showed may hold the arguments of then. A person who decided about a call that waited for nothing
        // decides again.
        let is_stale = match &wait.reason {
            PendingCallReason::Decision(_) => is_other,
            PendingCallReason::NotRun => is_for_arguments,
            _ => false,
        };
        if is_stale {
            let why = "the tool has changed since the call was made, and the call was migrated";
            wait.reason = PendingCallReason::Decision(json!({ "why": why }));
        }
    }
}

/// The first number of a version: another one means that calls of before may mean something else.
fn first_number(version: &str) -> Option<&str> {
    version
        .split('.')
        .next()
        .filter(|number| !number.is_empty())
}
