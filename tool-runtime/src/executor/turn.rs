use std::borrow::Cow;
use std::collections::BTreeMap;

use super::decided::DecidedCall;
use super::shown::definition_bytes;
use crate::tool::Decision;
use crate::toolset::ToolEntry;
use toolwright_provider::call::{StoredOutcome, ToolCall};

/// The calls of a turn that an [executor](crate::executor::Executor::run) runs. It is made of calls or of
/// [decided](DecidedCall) calls, by `Into`.
pub struct Turn<'a> {
    pub(super) calls: Cow<'a, [ToolCall]>,
    plans: Plans<'a>,
    /// Outcomes of calls that do not run, by index.
    answers: BTreeMap<usize, &'a StoredOutcome>,
}

/// The host's plans or decisions, one a call.
#[derive(Clone, Copy)]
enum Plans<'a> {
    Planned(&'a [CallPlan]),
    Decided(&'a [DecidedCall]),
}

/// A call to run.
pub(super) struct Job<'a> {
    pub(super) index: usize,
    /// The call, under the name that the tool has today.
    pub(super) call: &'a ToolCall,
    pub(super) entry: &'a ToolEntry,
    pub(super) plan: Plan<'a>,
}

/// Plan for a call of a turn that was paused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallPlan {
    /// It runs as every call does.
    #[default]
    Run,
    /// It runs as every call does, and may use old names of the tool and its arguments: it was made for an earlier version
    /// of the tools, and stored since. A pending call that is [decided](super::DecidedCall) may always use them.
    Stored,
    /// It was answered before, or stays pending.
    Leave,
}

/// Plan of the host, or decision about the call.
#[derive(Clone, Copy)]
pub(super) enum Plan<'a> {
    Planned(CallPlan),
    Decided(&'a Decision),
    /// The call came to this outside of the executor.
    Answered(&'a StoredOutcome),
}

impl Plan<'_> {
    /// Returns true if a person or the host decided that the call runs.
    pub(super) fn is_approval(self) -> bool {
        matches!(self, Self::Decided(_))
    }

    /// Returns true if the call was stored, and may use names of then.
    pub(super) fn is_stored(self) -> bool {
        !matches!(self, Self::Planned(CallPlan::Run | CallPlan::Leave))
    }
}

impl<'a> Turn<'a> {
    /// Makes a turn that was paused. Each plan says whether the call at its index runs now; calls without one
    /// [run](CallPlan::Run).
    pub fn planned(calls: &'a [ToolCall], plans: &'a [CallPlan]) -> Self {
        Self {
            calls: Cow::Borrowed(calls),
            plans: Plans::Planned(plans),
            answers: BTreeMap::new(),
        }
    }

    /// Answers the calls at these indices by outcomes of the host: they do not run.
    #[doc(hidden)]
    pub fn answered(self, answers: impl IntoIterator<Item = (usize, &'a StoredOutcome)>) -> Self {
        let answers = answers.into_iter().collect();
        Self { answers, ..self }
    }

    pub(super) fn plan(&self, index: usize) -> Plan<'a> {
        if let Some(outcome) = self.answers.get(&index) {
            return Plan::Answered(outcome);
        }
        match self.plans {
            Plans::Planned(plans) => Plan::Planned(plans.get(index).copied().unwrap_or_default()),
            Plans::Decided(decided) => match decided.get(index) {
                Some(one) => Plan::Decided(&one.decision),
                None => Plan::Planned(CallPlan::Leave),
            },
        }
    }

    /// Returns true if the decision about the call is for a tool of another definition.
    pub(super) fn is_for_another_tool(&self, index: usize, entry: &ToolEntry) -> bool {
        let Plans::Decided(decided) = self.plans else {
            return false;
        };
        let shown = decided.get(index).and_then(|one| one.shown.as_deref());
        shown.is_some_and(|shown| *shown != definition_bytes(entry.def()))
    }

    /// Returns the call's place in the model's turn.
    pub(super) fn place(&self, index: usize) -> usize {
        match self.plans {
            Plans::Planned(_) => index,
            Plans::Decided(decided) => decided.get(index).map_or(index, |one| one.place),
        }
    }

    /// Returns each call's place in the model's turn and its attempt, unless the places equal the indices.
    pub(super) fn places(&self) -> Option<Vec<(usize, u32)>> {
        match self.plans {
            Plans::Planned(_) => None,
            Plans::Decided(decided) => {
                Some(decided.iter().map(|one| (one.place, one.attempt)).collect())
            }
        }
    }
}

impl<'a, C: CallOfTurn> From<&'a [C]> for Turn<'a> {
    fn from(calls: &'a [C]) -> Self {
        C::turn(calls)
    }
}

impl<'a, C: CallOfTurn> From<&'a Vec<C>> for Turn<'a> {
    fn from(calls: &'a Vec<C>) -> Self {
        C::turn(calls)
    }
}

impl<'a, C: CallOfTurn, const N: usize> From<&'a [C; N]> for Turn<'a> {
    fn from(calls: &'a [C; N]) -> Self {
        C::turn(calls)
    }
}

/// A call, or a decided call.
pub trait CallOfTurn: Sized {
    fn turn(calls: &[Self]) -> Turn<'_>;
}

impl CallOfTurn for ToolCall {
    fn turn(calls: &[Self]) -> Turn<'_> {
        Turn::planned(calls, &[])
    }
}

impl CallOfTurn for DecidedCall {
    fn turn(decided: &[Self]) -> Turn<'_> {
        Turn {
            calls: decided.iter().map(Self::as_run).collect(),
            plans: Plans::Decided(decided),
            answers: BTreeMap::new(),
        }
    }
}
