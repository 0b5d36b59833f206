//! Access of a call's context to the batch that runs the call.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::tool::{Cancel, Context, OpenCalls, Progress};
use toolwright_provider::call::ToolCall;

/// The batch of a call, as the call's [`Context`] sees it. Calls are identified by their index.
pub(crate) trait RunningBatch: fmt::Debug + Send + Sync {
    /// Returns the token of the call.
    fn cancel(&self, index: usize) -> Cancel;

    /// Returns true if the batch's calls are of the run of this id.
    fn is_of(&self, run: Option<&Arc<str>>) -> bool;

    /// Returns the place in its turn of the call at this index.
    fn place(&self, index: usize) -> usize;

    /// Returns how often a person let the call at this index run again.
    fn attempt(&self, index: usize) -> u32;

    /// Returns the owner of calls that stay open, and the call at this index.
    fn open_calls(&self, index: usize) -> Option<(OpenCalls, ToolCall)>;

    /// Notes that the call at this index stays open.
    fn note_open(&self, index: usize, key: &str);

    /// Takes that back.
    fn withdraw_open(&self, index: usize);

    /// Counts the updates that the call has made.
    fn update_count(&self, index: usize) -> usize;

    /// Returns the updates that the call has made.
    fn updates(&self, index: usize) -> Vec<(String, Value)>;

    /// Drops all updates of the call but the first ones.
    fn truncate_updates(&self, index: usize, first: usize);

    /// Notes an update of the conversation's state. Returns false if the call is answered already.
    fn update(&self, index: usize, name: String, value: Value) -> bool;

    /// Reports progress to the observers, unless the call is answered.
    fn progress(&self, cx: &Context, index: usize, id: &str, name: &str, progress: &Progress);

    /// Notes that an attempt exceeded its time limit. Another one may follow, so this one is cancelled once the call is
    /// answered.
    fn mark_late(&self, index: usize);

    /// Notes that a body begins or ends on another task or thread: of the call, or of a call in a batch that it runs.
    fn set_offloaded(&self, index: usize, runs: bool);

    /// Notes that the call begins or ends to wait for a person, itself or in a batch that it runs. Its time limit does not run
    /// meanwhile.
    fn hold_time(&self, index: usize, holds: bool);

    /// Returns true if a body of the call may run where nothing can stop it.
    fn is_offloaded(&self, index: usize) -> bool;
}

/// The call that runs a batch or an agent.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) batch: Arc<dyn RunningBatch>,
    pub(crate) index: usize,
}
