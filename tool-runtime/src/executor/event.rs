use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::batch::{Batch, Pending};
use super::redacted::Redacted;
use crate::tool::{Context, Progress};
use toolwright_provider::call::{ToolCall, ToolResult};
use toolwright_schema::decode::Repair;
use toolwright_schema::panics::reported;

/// Something that happens while an [`Executor`](crate::executor::Executor) runs a batch, sent as it happens.
///
/// Every answered call has one [`Finished`](Self::Finished), and every call that began one [`Started`](Self::Started)
/// before it. Calls finish in any order; the answers of the [`Batch`] are in call order. A batch whose future is
/// dropped finishes its calls as cancelled, and then itself.
///
/// `Debug` prints no secrets; see [`Redacted`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A batch begins.
    BatchStarted {
        /// The batch.
        batch_id: BatchId,
        /// The batch's context.
        cx: &'a Context,
        /// The calls, in the model's order.
        calls: &'a [ToolCall],
    },
    /// A call begins.
    Started {
        /// The batch.
        batch_id: BatchId,
        /// The batch's context.
        cx: &'a Context,
        /// The call's index in the batch, from 0.
        index: usize,
        /// The call, secrets included.
        call: &'a ToolCall,
        /// Its arguments without secrets.
        redacted: Redacted<'a>,
    },
    /// A call's arguments were repaired before they were read.
    Repaired {
        /// The batch.
        batch_id: BatchId,
        /// The batch's context.
        cx: &'a Context,
        /// The call's index in the batch, from 0.
        index: usize,
        /// The call, as the model wrote it, secrets included.
        call: &'a ToolCall,
        /// Its arguments without secrets.
        redacted: Redacted<'a>,
        /// The repairs.
        repairs: &'a [Repair],
    },
    /// A tool reports progress.
    Progress {
        /// The batch.
        batch_id: BatchId,
        /// The batch's context.
        cx: &'a Context,
        /// The call's index in the batch, from 0.
        index: usize,
        /// The call's id.
        id: &'a str,
        /// The tool's name.
        name: &'a str,
        /// The progress.
        progress: &'a Progress,
    },
    /// A call is answered.
    Finished {
        /// The batch.
        batch_id: BatchId,
        /// The batch's context.
        cx: &'a Context,
        /// The call's index in the batch, from 0.
        index: usize,
        /// The call, as the model wrote it, secrets included.
        call: &'a ToolCall,
        /// Its arguments without secrets.
        redacted: Redacted<'a>,
        /// The answer.
        result: &'a ToolResult,
    },
    /// A call waits for a person or the host.
    Pending {
        /// The batch.
        batch_id: BatchId,
        /// The batch's context.
        cx: &'a Context,
        /// The call, secrets included, and the reason.
        pending: &'a Pending,
        /// Its arguments without secrets.
        redacted: Redacted<'a>,
    },
    /// A batch ended.
    BatchFinished {
        /// The batch.
        batch_id: BatchId,
        /// The batch's context.
        cx: &'a Context,
        /// All of its answers.
        batch: &'a Batch,
        /// Time since its start.
        duration: Duration,
    },
}

impl<'a> Event<'a> {
    /// Returns the name, such as `batch_started`, for logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::BatchStarted { .. } => "batch_started",
            Self::Started { .. } => "started",
            Self::Repaired { .. } => "repaired",
            Self::Progress { .. } => "progress",
            Self::Finished { .. } => "finished",
            Self::Pending { .. } => "pending",
            Self::BatchFinished { .. } => "batch_finished",
        }
    }

    /// Returns the batch of the event.
    pub fn batch_id(&self) -> BatchId {
        self.origin().0
    }

    /// Returns the batch's context.
    pub fn context(&self) -> &'a Context {
        self.origin().1
    }

    fn origin(&self) -> (BatchId, &'a Context) {
        match *self {
            Self::BatchStarted { batch_id, cx, .. }
            | Self::Started { batch_id, cx, .. }
            | Self::Repaired { batch_id, cx, .. }
            | Self::Progress { batch_id, cx, .. }
            | Self::Finished { batch_id, cx, .. }
            | Self::Pending { batch_id, cx, .. }
            | Self::BatchFinished { batch_id, cx, .. } => (batch_id, cx),
        }
    }
}

/// Number of a batch, unique in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchId(u64);

impl BatchId {
    pub(super) fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns the number, from 1. Later batches have greater ones.
    pub fn as_u64(self) -> u64 {
        self.0
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A closure that receives events.
type Observer = dyn Fn(&Event<'_>) + Send + Sync;

/// All observers of an executor.
#[derive(Clone, Default)]
pub(super) struct Observers(Option<Arc<Vec<Arc<Observer>>>>);

impl Observers {
    pub(super) fn add(&mut self, observer: Arc<Observer>) {
        Arc::make_mut(self.0.get_or_insert_default()).push(observer);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn notify(&self, event: &Event<'_>) {
        for observer in self.0.iter().flat_map(|all| all.iter()) {
            // A panic of an observer changes nothing.
            reported("an observer", || observer(event));
        }
    }
}
