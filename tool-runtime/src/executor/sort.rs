//! Which calls of a batch run, before any of them does.

use std::collections::VecDeque;

use super::batch::PendingReason;
use super::books::Books;
use super::{Executor, UnknownPolicy};
use crate::toolset::Entry;
use crate::{Context, ToolCall, ToolError, Toolset};

/// A call that will run.
#[derive(Clone)]
pub(super) struct Job<'a> {
    pub(super) index: usize,
    pub(super) call: &'a ToolCall,
    pub(super) entry: &'a Entry,
    /// Somebody has decided that it runs as it is.
    pub(super) approved: bool,
}

/// What is to become of a call of a turn that is run for a second time, after a pause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallPlan {
    /// It runs as every call does.
    #[default]
    Run,
    /// It runs though its tool is manual: somebody has decided that it does, with these arguments.
    /// Layers see that too.
    RunApproved,
    /// It has been answered, or is to wait on.
    Leave,
}

/// What becomes of a call before it runs.
enum Sorted<'a> {
    Runs(&'a Entry),
    Waits(PendingReason),
    Refused(ToolError),
}

/// Sorts the calls: first what is unknown or hidden, then what a person or the host answers; the
/// rest runs. Nothing runs if the host wants no turn with an unknown tool in it.
pub(super) fn sort<'a>(
    executor: &Executor,
    tools: &'a Toolset,
    calls: &'a [ToolCall],
    plans: &[CallPlan],
    cx: &Context,
    books: &mut Books<'a>,
) -> VecDeque<Job<'a>> {
    let mut jobs = VecDeque::with_capacity(calls.len());
    let (mut unknown, mut ends) = (None, false);
    for (index, call) in calls.iter().enumerate() {
        let plan = plans.get(index).copied().unwrap_or_default();
        match sort_one(executor, tools, call, plan, cx) {
            Sorted::Runs(entry) => {
                books.known(index, entry);
                jobs.push_back(Job {
                    index,
                    call,
                    entry,
                    approved: plan == CallPlan::RunApproved,
                });
            }
            Sorted::Waits(reason) => books.wait(index, call.clone(), reason),
            Sorted::Refused(error) => {
                unknown.get_or_insert(index);
                ends |= books.refuse(index, error);
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

fn sort_one<'a>(
    executor: &Executor,
    tools: &'a Toolset,
    call: &ToolCall,
    plan: CallPlan,
    cx: &Context,
) -> Sorted<'a> {
    if plan == CallPlan::Leave {
        return Sorted::Waits(PendingReason::Left);
    }
    let entry = match tools.seen(&call.name, &cx.scope(), executor.filter()) {
        Ok(entry) => entry,
        Err(error) => return Sorted::Refused(error),
    };
    if plan == CallPlan::RunApproved {
        Sorted::Runs(entry)
    } else if entry.traits().manual {
        Sorted::Waits(PendingReason::ManualTool)
    } else if executor.is_manual(&call.name) {
        Sorted::Waits(PendingReason::ManualMode)
    } else {
        Sorted::Runs(entry)
    }
}
