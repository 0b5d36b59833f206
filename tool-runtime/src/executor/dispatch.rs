//! Dispatch: decides for each call of a batch if it runs, before any call does.

use std::time::Duration;

use serde_json::json;

use super::batch_state::BatchState;
use super::turn::{CallPlan, Job, Plan, Turn};
use super::waiting::PendingReason;
use super::{Executor, MAX_CALLS};
use crate::tool::{Context, Decision};
use crate::toolset::{ToolEntry, Toolset};
use toolwright_provider::call::{ErrorKind, Outcome, ToolCall, ToolError};

/// Result of dispatching one call.
enum Dispatched<'a> {
    Runs(&'a ToolEntry),
    Waits(Option<&'a ToolEntry>, PendingReason),
    Refused(ToolError),
    Answered(Option<&'a ToolEntry>, Result<Outcome, ToolError>),
}

/// Makes the calls that the host leaves pending although nothing runs.
pub(super) fn leave(turn: &Turn<'_>, state: &mut BatchState<'_>) {
    for (index, call) in turn.calls.iter().enumerate() {
        if matches!(turn.plan(index), Plan::Planned(CallPlan::Leave)) {
            state.wait(index, call.clone(), PendingReason::NotRun, Vec::new());
        }
    }
}

/// Dispatches all calls. Unknown and hidden tools are refused, manual ones are pending, and the rest is returned to
/// run. `today` has the calls that use an old name, under the name of today.
pub(super) fn dispatch<'a>(
    executor: &Executor,
    tools: &'a Toolset,
    turn: &'a Turn<'a>,
    today: &'a [Option<ToolCall>],
    cx: &Context,
    state: &mut BatchState<'a>,
) -> Vec<Job<'a>> {
    let mut jobs = Vec::with_capacity(turn.calls.len());
    let mut ends = false;
    let scope = cx.scope();
    // Models often call one tool many times in a row; the lookup is done once for these.
    let mut last: Option<&'a ToolEntry> = None;
    for (index, call) in turn.calls.iter().enumerate() {
        let plan = turn.plan(index);
        let renamed = today.get(index).and_then(Option::as_ref);
        let run = renamed.unwrap_or(call);
        let seen = match last {
            Some(entry) if *entry.name() == run.name => Ok(entry),
            _ => tools.find_visible(run.name.as_bytes(), &scope, executor.filter.as_ref()),
        };
        last = seen.as_ref().ok().copied();
        let runs = matches!(
            plan,
            Plan::Planned(CallPlan::Run | CallPlan::Stored)
                | Plan::Decided(Decision::Approve | Decision::Edit(_))
        );
        if runs && turn.place(index) >= MAX_CALLS {
            ends |= state.refuse(index, Err(too_many()));
            continue;
        }
        match dispatch_one(executor, seen, plan) {
            Dispatched::Runs(entry) if turn.is_for_another_tool(index, entry) => {
                state.set_entry(index, entry);
                let why = json!({"why": "the tool has changed since the call was shown"});
                state.wait(
                    index,
                    call.clone(),
                    PendingReason::Decision(why),
                    Vec::new(),
                );
            }
            Dispatched::Runs(entry) => {
                state.set_entry(index, entry);
                jobs.push(Job {
                    index,
                    call: run,
                    entry,
                    plan,
                });
            }
            Dispatched::Waits(entry, reason) => {
                if let Some(entry) = entry {
                    state.set_entry(index, entry);
                }
                state.wait(index, call.clone(), reason, Vec::new());
            }
            Dispatched::Refused(error) => {
                ends |= state.refuse(index, Err(error));
            }
            Dispatched::Answered(entry, outcome) => {
                if let Some(entry) = entry {
                    state.set_entry(index, entry);
                }
                ends |= state.refuse(index, outcome);
            }
        }
    }
    if ends {
        jobs.clear();
    }
    jobs
}

/// Answers calls that have waited too long for their turn.
#[cold]
pub(super) fn late(jobs: &[Job<'_>], waited: Duration, state: &mut BatchState<'_>) {
    let words = format!("timed out after {waited:?} of waiting for its turn");
    let error = ToolError::new(ErrorKind::Timeout, words);
    for job in jobs {
        state.refuse(job.index, Err(error.clone()));
    }
}

#[cold]
fn too_many() -> ToolError {
    let words = format!(
        "the call did not run: a turn may make at most {MAX_CALLS} calls, and this one made more"
    );
    ToolError::new(ErrorKind::Rejected, words).permanent()
}

fn dispatch_one<'a>(
    executor: &Executor,
    seen: Result<&'a ToolEntry, ToolError>,
    plan: Plan<'_>,
) -> Dispatched<'a> {
    if matches!(plan, Plan::Planned(CallPlan::Leave)) {
        return Dispatched::Waits(seen.ok(), PendingReason::NotRun);
    }
    // Neither needs the tool.
    match plan {
        Plan::Decided(Decision::Reject(reason)) => {
            return Dispatched::Answered(seen.ok(), Err(Decision::rejected(reason)));
        }
        Plan::Decided(Decision::Answer(value)) => {
            return Dispatched::Answered(seen.ok(), Ok(Outcome::value(value)));
        }
        Plan::Answered(outcome) => {
            return Dispatched::Answered(seen.ok(), outcome.clone().into_outcome());
        }
        _ => {}
    }
    let entry = match seen {
        Ok(entry) => entry,
        Err(error) => return Dispatched::Refused(error),
    };
    if plan.is_approval() {
        return Dispatched::Runs(entry);
    }
    if entry.options().manual {
        Dispatched::Waits(Some(entry), PendingReason::ManualTool)
    } else if executor.is_manual(entry.def()) {
        Dispatched::Waits(Some(entry), PendingReason::ManualMode)
    } else {
        Dispatched::Runs(entry)
    }
}
