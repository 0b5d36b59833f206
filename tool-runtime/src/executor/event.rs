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

/// What happens while an [`Executor`](crate::Executor) runs a batch, as it happens.
///
/// Of every call that is answered there is one [`Finished`](Self::Finished); of every call that
/// began, one [`Started`](Self::Started) before it. Calls finish in whatever order they do: the
/// answers of the [`Batch`] stand in call order all the same. A batch whose future is dropped
/// finishes its calls as cancelled, and then finishes itself.
///
/// `Debug` shows no secrets; see [`Redacted`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A batch begins. The calls that it answers are all there is to come until it ends.
    BatchStarted {
        /// The batch.
        batch_id: BatchId,
        /// What the batch may know.
        cx: &'a Context,
        /// The calls, in the model's order.
        calls: &'a [ToolCall],
    },
    /// A call begins.
    Started {
        /// The batch.
        batch_id: BatchId,
        /// What the batch may know.
        cx: &'a Context,
        /// Its place in the batch, from 0.
        index: usize,
        /// The call, secrets included.
        call: &'a ToolCall,
        /// Its arguments, as they may be logged.
        redacted: Redacted<'a>,
    },
    /// A call's arguments were repaired before they were read.
    Repaired {
        /// The batch.
        batch_id: BatchId,
        /// What the batch may know.
        cx: &'a Context,
        /// Its place in the batch, from 0.
        index: usize,
        /// The call, as the model wrote it, secrets included.
        call: &'a ToolCall,
        /// Its arguments, as they may be logged.
        redacted: Redacted<'a>,
        /// How.
        repairs: &'a [Repair],
    },
    /// A tool says how far it has come.
    Progress {
        /// The batch.
        batch_id: BatchId,
        /// What the batch may know.
        cx: &'a Context,
        /// The call's place in the batch, from 0.
        index: usize,
        /// The call's id.
        id: &'a str,
        /// The tool's name.
        name: &'a str,
        /// How far.
        progress: &'a Progress,
    },
    /// A call is answered.
    Finished {
        /// The batch.
        batch_id: BatchId,
        /// What the batch may know.
        cx: &'a Context,
        /// Its place in the batch, from 0.
        index: usize,
        /// The call, as the model wrote it, secrets included.
        call: &'a ToolCall,
        /// Its arguments, as they may be logged.
        redacted: Redacted<'a>,
        /// The answer.
        result: &'a ToolResult,
    },
    /// A call waits for a person or the host.
    Pending {
        /// The batch.
        batch_id: BatchId,
        /// What the batch may know.
        cx: &'a Context,
        /// The call, secrets included, and why.
        pending: &'a Pending,
        /// Its arguments, as they may be logged.
        redacted: Redacted<'a>,
    },
    /// A batch ended.
    BatchFinished {
        /// The batch.
        batch_id: BatchId,
        /// What the batch may know.
        cx: &'a Context,
        /// All of its answers.
        batch: &'a Batch,
        /// From its start.
        duration: Duration,
    },
}

impl<'a> Event<'a> {
    /// The batch that it happens in.
    pub fn batch_id(&self) -> BatchId {
        self.origin().0
    }

    /// What the batch may know: who runs it, and for whom.
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

/// A batch, apart from all others of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchId(u64);

impl BatchId {
    pub(super) fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// As a number, from 1, greater for batches that began later.
    pub fn as_u64(self) -> u64 {
        self.0
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Sees what happens while calls are run. A panic of an observer changes nothing, and is
/// [reported](toolwright_schema::panics::capture).
///
/// Every closure over an [`Event`] is one that names its type, `|event: &Event<'_>| …`: of one
/// that does not, the compiler says that it is not general enough.
///
/// ```
/// use toolwright::{Event, Executor, Toolset};
///
/// let executor = Executor::serial(&Toolset::default()).observer(|event: &Event<'_>| {
///     if let Event::Finished { result, .. } = event {
///         println!("{} took {:?}", result.name, result.duration);
///     }
/// });
/// ```
pub trait Observer: Send + Sync {
    /// Is told at once, on the thread where it happens; what takes long belongs elsewhere.
    fn event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> Observer for F {
    fn event(&self, event: &Event<'_>) {
        self(event);
    }
}

/// Nobody looks on.
impl Observer for () {
    fn event(&self, _: &Event<'_>) {}
}

/// All observers of an executor.
#[derive(Clone, Default)]
pub(super) struct Observers(Option<Arc<Vec<Arc<dyn Observer>>>>);

impl Observers {
    pub(super) fn add(&mut self, observer: Arc<dyn Observer>) {
        Arc::make_mut(self.0.get_or_insert_default()).push(observer);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn tell(&self, event: &Event<'_>) {
        for observer in self.0.iter().flat_map(|all| all.iter()) {
            // Whoever looks on does not change what happens.
            reported("an observer", || observer.event(event));
        }
    }
}
