use std::collections::BTreeMap;
use std::fmt;

use super::batch::{Batch, Halted, Reply};
use super::decided::DecidedCall;
use super::{Executor, known};
use crate::tool::{Context, Decision, State};

/// A decision that [`Batch::resume`] cannot take. Holds the index of its call in the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResumeError {
    /// The batch has no call at this index.
    Missing(usize),
    /// The call is answered already.
    Answered(usize),
    /// Another decision is about this call, too.
    Repeated(usize),
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(index) => write!(f, "the batch has no call at index {index}"),
            Self::Answered(index) => write!(f, "the call at index {index} is answered already"),
            Self::Repeated(index) => write!(f, "the call at index {index} is decided twice"),
        }
    }
}

impl std::error::Error for ResumeError {}

impl Batch {
    /// Continues pending calls and returns the whole batch, in call order.
    ///
    /// Each decision belongs to the call at [`Pending::index`](crate::executor::Pending::index). A call without one stays pending.
    /// The answers, state updates and halts of this batch are kept, and the new ones are merged in call order.
    ///
    /// The calls run by [`Executor::run`], one batch with new events and indices. `cx` should have the values of the
    /// first round; values of this batch's [`state`](Self::state) that it lacks are kept.
    ///
    /// ```
    /// use toolwright::layers::Approval;
    /// use toolwright::{Context, DynTool, Executor, ToolCall, ToolError, Toolset, call::Decision};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let pay = DynTool::builder().name("pay").description("Pays.");
    /// # let pay = pay.handler_sync(|_: serde_json::Value, _cx| Ok::<_, ToolError>("paid")).build()?;
    /// # let tools = Toolset::new([pay])?;
    /// let executor = Executor::serial(&tools).layer(Approval::when(|_| true));
    /// let calls = ["a", "b"].map(|id| ToolCall::new(id, "pay", "{}"));
    /// let batch = executor.run_blocking(&calls, &Context::new());
    /// assert_eq!(batch.pending().count(), 2);
    ///
    /// let batch = batch.resume_blocking(&executor, [(1, Decision::Approve)], &Context::new())?;
    /// assert_eq!(batch.pending().map(|pending| pending.index).collect::<Vec<_>>(), [0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a call is decided that is not pending, or one twice. Nothing runs then.
    pub async fn resume(
        &self,
        executor: &Executor,
        decisions: impl IntoIterator<Item = (usize, Decision)>,
        cx: &Context,
    ) -> Result<Self, ResumeError> {
        let (indices, decided) = self.decided(decisions)?;
        let resumed = executor.run(&decided, cx).await;
        Ok(self.merged(&indices, resumed, known(cx).session_state()))
    }

    /// Continues pending calls as [`resume`](Self::resume) does, and blocks this thread meanwhile.
    ///
    /// # Errors
    /// When a call is decided that is not pending, or one twice. Nothing runs then.
    pub fn resume_blocking(
        &self,
        executor: &Executor,
        decisions: impl IntoIterator<Item = (usize, Decision)>,
        cx: &Context,
    ) -> Result<Self, ResumeError> {
        let (indices, decided) = self.decided(decisions)?;
        let resumed = executor.run_blocking(&decided, cx);
        Ok(self.merged(&indices, resumed, known(cx).session_state()))
    }

    /// Pairs pending calls with their decisions, in call order.
    fn decided(
        &self,
        decisions: impl IntoIterator<Item = (usize, Decision)>,
    ) -> Result<(Vec<usize>, Vec<DecidedCall>), ResumeError> {
        let mut decided = BTreeMap::new();
        for (index, decision) in decisions {
            let pending = match self.calls.get(index) {
                Some(Reply::Pending(pending)) => pending,
                Some(Reply::Answered(_)) => return Err(ResumeError::Answered(index)),
                None => return Err(ResumeError::Missing(index)),
            };
            if decided
                .insert(index, pending.with_decision(decision))
                .is_some()
            {
                return Err(ResumeError::Repeated(index));
            }
        }
        Ok(decided.into_iter().unzip())
    }

    /// Puts the replies of a second round, whose calls are those at `indices`, in their places.
    fn merged(&self, indices: &[usize], resumed: Self, known: &State) -> Self {
        let place = |index: usize| indices.get(index).copied().unwrap_or(index);
        let mut calls = self.calls.clone();
        for (index, mut reply) in indices.iter().zip(resumed.calls) {
            if let Reply::Pending(pending) = &mut reply {
                pending.index = *index;
            }
            if let Some(call) = calls.get_mut(*index) {
                *call = reply;
            }
        }
        let before = self.updated_by.iter().copied().zip(self.updates.clone());
        let after = resumed.updated_by.into_iter().map(place);
        let mut updates: Vec<_> = before.chain(after.zip(resumed.updates)).collect();
        updates.sort_by_key(|(index, _)| *index);
        let (updated_by, updates): (_, Vec<_>) = updates.into_iter().unzip();
        let state = (!updates.is_empty()).then(|| match &self.state {
            Some(before) => known.over(before).updated(&updates),
            None => known.clone().updated(&updates),
        });
        let halts = resumed
            .halts
            .into_iter()
            .filter_map(|halt| halt.moved(place));
        let halts = self
            .halts
            .iter()
            .filter_map(|halt| halt.clone().moved(|index| index))
            .chain(halts);
        Self {
            halts: Halted::of_batch(&calls, halts.collect()),
            calls,
            state,
            updates,
            updated_by,
        }
    }
}

impl Halted {
    /// Moves a halt of a policy or the host to another index. Answers state all other halts themselves.
    fn moved(self, place: impl Fn(usize) -> usize) -> Option<Self> {
        match self {
            Self::Cancelled => Some(self),
            Self::Aborted { index } => Some(Self::Aborted {
                index: place(index),
            }),
            Self::ToolError { index } => Some(Self::ToolError {
                index: place(index),
            }),
            Self::AskUser { .. } | Self::Halt { .. } | Self::Pending | Self::ReturnDirect => None,
        }
    }
}
