use std::borrow::Cow;

use super::batch::PendingReason;
use super::batch_state::BatchState;
use super::decided::Decided;
use super::dispatch::{CallPlan, Plan};
use toolwright_provider::call::ToolCall;

/// The calls of a turn that an [executor](crate::executor::Executor::run) runs. It is made of calls or of
/// [decided](Decided) calls, by `Into`.
pub struct Turn<'a> {
    pub(super) calls: Cow<'a, [ToolCall]>,
    plans: Plans<'a>,
}

/// The host's plans or decisions, one a call.
#[derive(Clone, Copy)]
enum Plans<'a> {
    Planned(&'a [CallPlan]),
    Decided(&'a [Decided]),
}

impl<'a> Turn<'a> {
    /// Makes a turn that was paused. Each plan says whether the call at its index runs now; calls without one
    /// [run](CallPlan::Run).
    pub fn planned(calls: &'a [ToolCall], plans: &'a [CallPlan]) -> Self {
        Self {
            calls: Cow::Borrowed(calls),
            plans: Plans::Planned(plans),
        }
    }

    pub(super) fn plan(&self, index: usize) -> Plan<'a> {
        match self.plans {
            Plans::Planned(plans) => Plan::Planned(plans.get(index).copied().unwrap_or_default()),
            Plans::Decided(decided) => match decided.get(index) {
                Some(one) => Plan::Decided(&one.decision),
                None => Plan::Planned(CallPlan::Leave),
            },
        }
    }

    /// Makes the calls that the host leaves pending although nothing runs.
    pub(super) fn leave(&self, state: &mut BatchState<'_>) {
        for (index, call) in self.calls.iter().enumerate() {
            if matches!(self.plan(index), Plan::Planned(CallPlan::Leave)) {
                state.wait(index, call.clone(), PendingReason::Left, Vec::new());
            }
        }
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

impl CallOfTurn for Decided {
    fn turn(decided: &[Self]) -> Turn<'_> {
        Turn {
            calls: decided.iter().map(Self::as_run).collect(),
            plans: Plans::Decided(decided),
        }
    }
}
