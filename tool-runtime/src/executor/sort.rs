//! Which calls of a batch run, before any of them does.

use std::time::Duration;

use super::batch::PendingReason;
use super::books::Books;
use super::{Executor, Turn, UnknownPolicy};
use crate::tool::{Context, Decision};
use crate::toolset::{Entry, Toolset};
use toolwright_provider::call::{ErrorKind, Outcome, ToolCall, ToolError};
use toolwright_schema::decode::Store;

/// A call that will run.
pub(super) struct Job<'a> {
    pub(super) index: usize,
    pub(super) call: &'a ToolCall,
    pub(super) entry: &'a Entry,
    pub(super) plan: Plan<'a>,
    /// For what its tool reads, if it runs on the batch's task.
    pub(super) store: Store,
}

/// What is to become of a call: of a turn that is run for a second time, after a pause, or of one that waited elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallPlan {
    /// It runs as every call does.
    #[default]
    Run,
    /// It has been answered, or is to wait on.
    Leave,
    /// It has waited so long for its turn to run, and is answered with a timeout that says so.
    Late(Duration),
}

/// What the host wants of a call.
#[derive(Clone, Copy)]
pub(super) enum Plan<'a> {
    Planned(CallPlan),
    Decided(&'a Decision),
}

impl Plan<'_> {
    /// Whether somebody has decided that the call runs with its arguments.
    pub(super) fn is_approval(self) -> bool {
        matches!(self, Self::Decided(_))
    }
}

/// What becomes of a call before it runs.
enum Sorted<'a> {
    Runs(&'a Entry),
    Waits(Option<&'a Entry>, PendingReason),
    Refused(ToolError),
    Answered(&'a Entry, Result<Outcome, ToolError>),
}

/// Sorts the calls: first what is unknown or hidden, then what a person or the host answers; the
/// rest runs. Nothing runs if the host wants no turn with an unknown tool in it.
pub(super) fn sort<'a>(
    executor: &Executor,
    tools: &'a Toolset,
    turn: Turn<'a>,
    cx: &Context,
    books: &mut Books<'a>,
) -> Vec<Job<'a>> {
    let mut jobs = Vec::with_capacity(turn.calls.len());
    let (mut unknown, mut ends) = (None, false);
    let scope = cx.scope();
    // Models call one tool many times in a row: what was found of it holds for all of these.
    let mut last: Option<&'a Entry> = None;
    for (index, call) in turn.calls.iter().enumerate() {
        let plan = turn.plan(index);
        let seen = match last {
            Some(entry) if *entry.name() == call.name => Ok(entry),
            _ => tools.seen(call.name.as_bytes(), &scope, executor.filter.as_ref()),
        };
        last = seen.as_ref().ok().copied();
        let left = matches!(plan, Plan::Planned(CallPlan::Leave));
        if turn.place(index) >= executor.max_calls && !left {
            ends |= books.refuse(index, Err(too_many(executor.max_calls)));
            continue;
        }
        match sort_one(executor, seen, call, plan) {
            Sorted::Runs(entry) => {
                books.known(index, entry);
                jobs.push(Job {
                    index,
                    call,
                    entry,
                    plan,
                    store: Store::new(),
                });
            }
            Sorted::Waits(entry, reason) => {
                if let Some(entry) = entry {
                    books.known(index, entry);
                }
                books.wait(index, call.clone(), reason, Vec::new());
            }
            Sorted::Refused(error) => {
                unknown.get_or_insert(index);
                ends |= books.refuse(index, Err(error));
            }
            Sorted::Answered(entry, outcome) => {
                books.known(index, entry);
                ends |= books.refuse(index, outcome);
            }
        }
    }
    if executor.on_unknown == UnknownPolicy::Abort
        && let Some(index) = unknown
    {
        books.abort(index);
        ends = true;
    }
    if ends {
        jobs.clear();
    }
    jobs
}

#[cold]
fn too_many(most: usize) -> ToolError {
    let words = format!(
        "the call did not run: a turn may make at most {most} calls, and this one made more"
    );
    ToolError::new(ErrorKind::Rejected, words).permanent()
}

fn sort_one<'a>(
    executor: &Executor,
    seen: Result<&'a Entry, ToolError>,
    call: &ToolCall,
    plan: Plan<'_>,
) -> Sorted<'a> {
    if matches!(plan, Plan::Planned(CallPlan::Leave)) {
        return Sorted::Waits(seen.ok(), PendingReason::Left);
    }
    let entry = match seen {
        Ok(entry) => entry,
        Err(error) => return Sorted::Refused(error),
    };
    match plan {
        Plan::Planned(CallPlan::Late(waited)) => {
            let words = format!("timed out after {waited:?} of waiting for its turn");
            return Sorted::Answered(entry, Err(ToolError::new(ErrorKind::Timeout, words)));
        }
        Plan::Decided(Decision::Reject(reason)) => {
            return Sorted::Answered(entry, Err(Decision::rejected(reason)));
        }
        Plan::Decided(Decision::Answer(value)) => {
            return Sorted::Answered(entry, Ok(Outcome::value(value)));
        }
        plan if plan.is_approval() => return Sorted::Runs(entry),
        Plan::Decided(_) | Plan::Planned(_) => {}
    }
    if entry.traits().manual {
        Sorted::Waits(Some(entry), PendingReason::ManualTool)
    } else if executor.is_manual(&call.name) {
        Sorted::Waits(Some(entry), PendingReason::ManualMode)
    } else {
        Sorted::Runs(entry)
    }
}
