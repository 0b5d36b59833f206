//! Parts of a context that a running call uses: cancellation, progress, updates, its batch.

use std::sync::Arc;

use super::Context;
use crate::tool::state::{self, Values};
use crate::tool::{Caller, Cancel, OpenCall, OpenCallHandle, Progress, RunningBatch};
use toolwright_provider::call::ToolError;

impl Context {
    /// Sets the token that cancels the conversation's calls.
    pub fn with_cancel(self, stop: Cancel) -> Self {
        self.change(|shared| shared.stop = Some(stop))
    }

    /// Returns the call's token. It fires when the host cancels, when the call's deadline passes, and when the answer
    /// is no longer awaited. Outside a call it is the host's.
    pub fn cancel(&self) -> Cancel {
        match (&self.batch, &self.call) {
            (Some(batch), Some(call)) => batch.cancel(call.index),
            _ => self.shared.stop.clone().unwrap_or_default(),
        }
    }

    /// Reports progress to observers. Without an executor, and after the call is answered, it does nothing.
    // Callers make it as an argument.
    #[allow(clippy::needless_pass_by_value)]
    pub fn progress(&self, progress: Progress) {
        if let (Some(batch), Some(call)) = (&self.batch, &self.call) {
            batch.progress(self, call.index, &call.id, &call.tool, &progress);
        }
    }

    /// Sets `value` under `name` in the conversation's state from the next turn on, if this call succeeds. The updates
    /// of a turn are made in call order and are in [`Batch::state`](crate::executor::Batch::state); [`state`](Self::state) does
    /// not change.
    ///
    /// Calls that a tool makes through a [`Toolset`](crate::toolset::Toolset) with its own context add to the tool's updates.
    ///
    /// Returns false if the update is ignored: without an executor, after the call is answered, or for a value of more
    /// than 64 levels. JSON readers stop at 128 levels, and a conversation is stored around the value.
    pub fn update_state(
        &self,
        name: impl Into<String>,
        value: impl Into<serde_json::Value>,
    ) -> bool {
        let value = value.into();
        match (&self.batch, &self.call) {
            (Some(batch), Some(call)) if state::is_storable(&value) => {
                batch.update(call.index, name.into(), value)
            }
            _ => false,
        }
    }

    /// Returns the state updates of the call so far, in order; see [`update_state`](Self::update_state). Empty outside
    /// a call, and after it is answered.
    pub fn updates(&self) -> Vec<(String, serde_json::Value)> {
        match (&self.batch, &self.call) {
            (Some(batch), Some(call)) => batch.updates(call.index),
            _ => Vec::new(),
        }
    }

    /// Returns the key of the open call that this code works for, in the background. `None` where the model waits for
    /// the answer.
    pub fn open_call(&self) -> Option<&str> {
        self.shared.open.as_deref()
    }

    /// Lets a tool decide, while it runs, that its call stays open. The tool returns
    /// [`OpenCallHandle::outcome`](crate::executor::OpenCallHandle::outcome) now, and the handle ends the call later,
    /// from wherever it is then. If the tool returns anything else, the call is not open. The executor's limits on time
    /// and output do not apply to the handle's result.
    ///
    /// ```
    /// use toolwright::executor::OpenCalls;
    /// use toolwright::{Context, Executor, Outcome, ToolCall, ToolError, tool, tools};
    ///
    /// /// Renders a film.
    /// #[tool]
    /// async fn render(minutes: u32, cx: &Context) -> Result<Outcome, ToolError> {
    ///     if minutes < 5 {
    ///         return Ok(Outcome::value("film.mp4"));
    ///     }
    ///     let handle = cx.keep_open().await?;
    ///     let outcome = handle.outcome("This takes a while. The film will follow.");
    ///     tokio::spawn(async move { handle.end(Ok(Outcome::value("long_film.mp4"))).await });
    ///     Ok(outcome)
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let open = OpenCalls::new();
    /// let executor = Executor::serial(tools![render]).open_calls(&open);
    /// let calls = [ToolCall::new("1", "render", r#"{"minutes": 90}"#)];
    /// let batch = executor.run(&calls, &Context::new()).await;
    /// let said = batch.results().next().unwrap().content(Default::default());
    /// assert_eq!(said, "This takes a while. The film will follow.");
    /// assert_eq!(open.ended().await.call.id, "1");
    /// # });
    /// ```
    ///
    /// # Errors
    /// If the executor has no [`OpenCalls`](crate::executor::OpenCalls) to take a result later, or the call is open
    /// already. A tool then does its work before it answers, or returns the error.
    pub async fn keep_open(&self) -> Result<OpenCallHandle, ToolError> {
        let (Some(batch), Some(call)) = (&self.batch, &self.call) else {
            return Err(nobody());
        };
        let (open, asked) = batch.open_calls(call.index).ok_or_else(nobody)?;
        let handle = open.keep(&asked, self).await?;
        let handle = handle.ok_or_else(|| ToolError::failed("the call is open already"))?;
        batch.note_open(call.index, handle.key());
        Ok(handle)
    }

    /// Notes that the call stays open, until it is answered otherwise.
    pub(crate) fn note_open(&self, key: &str) {
        if let (Some(batch), Some(call)) = (&self.batch, &self.call) {
            batch.note_open(call.index, key);
        }
    }

    /// Returns the host's values.
    pub(crate) fn values(&self) -> &Values {
        &self.shared.values
    }

    /// Counts the updates of the call.
    pub(crate) fn update_count(&self) -> usize {
        match (&self.batch, &self.call) {
            (Some(batch), Some(call)) => batch.update_count(call.index),
            _ => 0,
        }
    }

    /// Drops all updates of the call but the first ones.
    pub(crate) fn truncate_updates(&self, first: usize) {
        if let (Some(batch), Some(call)) = (&self.batch, &self.call) {
            batch.truncate_updates(call.index, first);
        }
    }

    pub(crate) fn in_batch(mut self, batch: Arc<dyn RunningBatch>) -> Self {
        self.batch = Some(batch);
        self
    }

    /// Notes that an attempt exceeded its time limit.
    pub(crate) fn mark_late(&self) {
        if let (Some(batch), Some(call)) = (&self.batch, &self.call) {
            batch.mark_late(call.index);
        }
    }

    /// Notes that code of this call begins or ends where nothing stops it, such as in another process: a call that is cut
    /// off meanwhile has an unknown outcome.
    #[doc(hidden)]
    pub fn __runs_elsewhere(&self, runs: bool) {
        if let Some(call) = &self.call {
            self.set_offloaded(call.index, runs);
        }
    }

    /// Notes that a body of a call begins or ends on another thread.
    pub(crate) fn set_offloaded(&self, index: usize, runs: bool) {
        if let Some(batch) = &self.batch {
            batch.set_offloaded(index, runs);
        }
    }

    /// Returns true if a body of a call may run where nothing can stop it.
    pub(crate) fn is_offloaded(&self, index: usize) -> bool {
        self.batch
            .as_ref()
            .is_some_and(|batch| batch.is_offloaded(index))
    }

    /// Stops the time limit of the call, and of the calls around it, until the guard is dropped: a person is being asked.
    #[doc(hidden)]
    pub fn __hold_time(&self) -> HeldTime {
        let caller = self.caller();
        if let Some(Caller { batch, index }) = &caller {
            batch.hold_time(*index, true);
        }
        HeldTime(caller)
    }

    /// Returns the call of this context, or the one that runs the batch or agent.
    pub(crate) fn caller(&self) -> Option<Caller> {
        match (&self.batch, &self.call) {
            (Some(batch), Some(call)) => Some(Caller {
                batch: Arc::clone(batch),
                index: call.index,
            }),
            _ => self.shared.caller.clone(),
        }
    }

    /// Returns the run's id.
    pub(crate) fn run(&self) -> Option<&Arc<str>> {
        self.shared.run.as_ref()
    }

    /// Returns the context of a batch that this call runs; `None` outside a call. Such a batch ends with the call, and
    /// its calls are not part of the batch of this call.
    pub(crate) fn of_own_batch(&self) -> Option<Self> {
        self.call.as_ref()?;
        let within = match &self.batch {
            Some(batch) if batch.is_of(self.run()) => self.idempotency_key(),
            _ => None,
        };
        let (stop, caller) = (self.cancel(), self.caller());
        let own = Self {
            shared: Arc::clone(&self.shared),
            call: None,
            batch: None,
        };
        Some(own.change(|shared| {
            shared.stop = Some(stop);
            shared.caller = caller;
            shared.within = within.map(Into::into);
            shared.place = None;
            shared.open = None;
        }))
    }

    /// Returns the context of the code of an open call.
    pub(crate) fn in_background(&self, call: &OpenCall, stop: Cancel) -> Self {
        let own = Self {
            shared: Arc::clone(&self.shared),
            call: None,
            batch: None,
        };
        own.change(|shared| {
            shared.stop = Some(stop);
            shared.caller = None;
            shared.place = call.place.clone().map(Arc::new);
            shared.open = Some(call.key.as_str().into());
        })
    }

    /// Revokes that the call stays open, if its code had requested it.
    pub(crate) fn withdraw_open(&self) {
        if let (Some(batch), Some(call)) = (&self.batch, &self.call) {
            batch.withdraw_open(call.index);
        }
    }

    /// Returns the host's token.
    pub(crate) fn host_cancel(&self) -> Option<&Cancel> {
        self.shared.stop.as_ref()
    }

    /// Returns true if the host cancelled.
    pub(crate) fn cancel_requested(&self) -> bool {
        self.host_cancel().is_some_and(Cancel::is_cancelled)
    }
}

#[cold]
fn nobody() -> ToolError {
    ToolError::failed("nobody here takes the result of a call later")
}

/// A time limit that does not run.
#[doc(hidden)]
#[derive(Debug)]
pub struct HeldTime(Option<Caller>);

impl Drop for HeldTime {
    fn drop(&mut self) {
        if let Some(Caller { batch, index }) = &self.0 {
            batch.hold_time(*index, false);
        }
    }
}
