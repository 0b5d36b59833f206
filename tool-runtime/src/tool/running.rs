//! How a call's context reaches the batch that runs the call.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::tool::{Cancel, Context, Progress};

/// The batch that a call belongs to, as the call's [`Context`] sees it. Calls go by their place in the batch.
pub(crate) trait RunningBatch: fmt::Debug + Send + Sync {
    /// Returns what tells the call to stop.
    fn cancel(&self, index: usize) -> Cancel;

    /// Returns true if the batch's calls are of the run of this id.
    fn is_of(&self, run: Option<&Arc<str>>) -> bool;

    /// Returns the place in its turn of the call at this place of the batch.
    fn place(&self, index: usize) -> usize;

    /// Counts the updates that the call has made.
    fn update_count(&self, index: usize) -> usize;

    /// Returns the updates that the call has made.
    fn updates(&self, index: usize) -> Vec<(String, Value)>;

    /// Drops all updates of the call but the first ones.
    fn keep_updates(&self, index: usize, first: usize);

    /// Notes an update of the conversation's state. Returns false if the call is answered already.
    fn update(&self, index: usize, name: String, value: Value) -> bool;

    /// Reports progress to the observers, unless the call is answered.
    fn progress(&self, cx: &Context, index: usize, id: &str, name: &str, progress: &Progress);

    /// Notes that an attempt of the call took longer than it may. Another attempt may follow, so what is left of
    /// this one is told to stop once the call is answered.
    fn is_late(&self, index: usize);

    /// Notes that code of the call begins to run away from the task of the batch, or has ended there: its own, or that of
    /// a call that it makes in a batch of its own.
    fn runs_elsewhere(&self, index: usize, runs: bool);

    /// Returns true if code of the call may run where nobody can stop it.
    fn is_elsewhere(&self, index: usize) -> bool;
}

/// The call that runs a batch, or an agent.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) batch: Arc<dyn RunningBatch>,
    pub(crate) index: usize,
}
