use toolwright_runtime::{Event as CallEvent, StreamEvent, ToolCall};

use crate::{Halted, Node, Response, Run};

/// What happens while an agent runs, as it happens.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A run begins, or goes on after a pause.
    RunStarted {
        /// The session's id.
        session: &'a str,
    },
    /// A node is visited.
    NodeStarted {
        /// The node.
        node: Node,
    },
    /// A piece of the model's answer.
    Delta(&'a StreamEvent),
    /// The model has answered.
    ModelFinished {
        /// The answer.
        response: &'a Response,
    },
    /// The model's calls are there, before any of them runs.
    CallsReady {
        /// The calls, in order.
        calls: &'a [ToolCall],
    },
    /// What happens to the calls.
    Call(&'a CallEvent<'a>),
    /// The conversation was handed over: another agent goes on.
    HandedOver {
        /// Its name.
        agent: &'a str,
    },
    /// A node has been visited.
    NodeFinished {
        /// The node.
        node: Node,
    },
    /// The run ended: the last event of each.
    RunFinished {
        /// What became of it.
        run: &'a Run,
    },
}

/// Sees what happens while an agent runs. A panic of a listener changes nothing.
///
/// Every closure over an [`Event`] is one that names its type, `|event: &Event<'_>| …`: of one
/// that does not, the compiler says that it is not general enough.
pub trait Listener: Send + Sync {
    /// Is told at once; what takes long belongs elsewhere.
    fn event(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> Listener for F {
    fn event(&self, event: &Event<'_>) {
        self(event);
    }
}

impl Event<'_> {
    /// Whether nothing more comes.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::RunFinished { .. })
    }

    /// Why the run ended, if it did.
    pub fn halted(&self) -> Option<&Halted> {
        match self {
            Self::RunFinished { run } => Some(&run.halted),
            _ => None,
        }
    }
}
