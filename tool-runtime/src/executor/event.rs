use std::sync::Arc;
use std::time::Duration;

use super::batch::{Batch, Pending};
use crate::contain::contained;
use crate::{Context, Progress, Repair, ToolCall, ToolResult};

/// What happens while an [`Executor`](crate::Executor) runs a batch, as it happens.
///
/// Of every call that is answered there is one [`Finished`](Self::Finished); of every call that
/// began, one [`Started`](Self::Started) before it. Calls finish in whatever order they do: the
/// answers of the [`Batch`] stand in call order all the same. A batch whose future is dropped
/// finishes its calls as cancelled.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A batch begins. The calls that it answers are all there is to come until it ends.
    BatchStarted {
        /// The calls, in the model's order.
        calls: &'a [ToolCall],
        /// What the batch may know.
        cx: &'a Context,
    },
    /// A call begins.
    Started {
        /// Its place in the batch, from 0.
        index: usize,
        /// The call.
        call: &'a ToolCall,
    },
    /// A call's arguments were repaired before they were read.
    Repaired {
        /// Its place in the batch, from 0.
        index: usize,
        /// The call, as the model wrote it.
        call: &'a ToolCall,
        /// How.
        repairs: &'a [Repair],
    },
    /// A tool says how far it has come.
    Progress {
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
        /// Its place in the batch, from 0.
        index: usize,
        /// The call, as the model wrote it.
        call: &'a ToolCall,
        /// The answer.
        result: &'a ToolResult,
    },
    /// A call waits for a person or the host.
    Pending {
        /// The call, and why.
        pending: &'a Pending,
    },
    /// A batch ended.
    BatchFinished {
        /// All of its answers.
        batch: &'a Batch,
        /// From its start.
        duration: Duration,
    },
}

/// Sees what happens while calls are run. A panic of an observer changes nothing.
///
/// Every closure over an [`Event`] is one.
///
/// ```
/// use toolwright_runtime::{Event, Executor, Toolset};
///
/// let executor = Executor::serial(&Toolset::default()).observe(|event: &Event<'_>| {
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
            let _ = contained(|| observer.event(event));
        }
    }
}
