use toolwright_runtime::{Event, StreamEvent, ToolCall};

use crate::{ModelResponse, Node, Run, RunEnd};

/// Event of a running agent, sent as it happens.
///
/// Every event says of which session and run it is, so one listener serves many: see [`session`](Self::session) and
/// [`run_id`](Self::run_id).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// A run begins, or goes on after a pause.
    RunStarted {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
    },
    /// A node is visited.
    NodeStarted {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// The node.
        node: Node,
    },
    /// A piece of the model's answer.
    Delta {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// The piece.
        delta: &'a StreamEvent,
    },
    /// The model has answered.
    ModelFinished {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// The answer.
        response: &'a ModelResponse,
    },
    /// The model's calls are there, before any of them runs.
    CallsReady {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// The calls, in order.
        calls: &'a [ToolCall],
    },
    /// An event of a call.
    Call {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// The call's event.
        event: &'a Event<'a>,
    },
    /// The conversation was handed over: another agent goes on.
    HandedOver {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// Its name.
        agent: &'a str,
    },
    /// A node has been visited.
    NodeFinished {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// The node.
        node: Node,
    },
    /// The run ended: the last event of each.
    RunFinished {
        /// The session's id.
        session: &'a str,
        /// The id of its run: that of the calls' [idempotency keys](toolwright_runtime::Context::idempotency_key) and spans.
        run_id: &'a str,
        /// Result of the run.
        run: &'a Run,
    },
}

/// Sees what happens while an agent runs. A panic of a listener changes nothing, and is
/// [reported](toolwright_runtime::panics::capture).
///
/// Every closure over an [`RunEvent`] is one that names its type, `|event: &RunEvent<'_>| …`: of one
/// that does not, the compiler says that it is not general enough.
pub trait Listener: Send + Sync {
    /// Is told at once; what takes long belongs elsewhere.
    fn event(&self, event: &RunEvent<'_>);
}

impl<F: Fn(&RunEvent<'_>) + Send + Sync> Listener for F {
    fn event(&self, event: &RunEvent<'_>) {
        self(event);
    }
}

impl<'a> RunEvent<'a> {
    /// The id of the session that runs.
    pub fn session(&self) -> &'a str {
        self.origin().0
    }

    /// The id of its run: [`Session::run_id`](crate::Session::run_id).
    pub fn run_id(&self) -> &'a str {
        self.origin().1
    }

    fn origin(&self) -> (&'a str, &'a str) {
        match *self {
            Self::RunStarted { session, run_id }
            | Self::NodeStarted {
                session, run_id, ..
            }
            | Self::Delta {
                session, run_id, ..
            }
            | Self::ModelFinished {
                session, run_id, ..
            }
            | Self::CallsReady {
                session, run_id, ..
            }
            | Self::Call {
                session, run_id, ..
            }
            | Self::HandedOver {
                session, run_id, ..
            }
            | Self::NodeFinished {
                session, run_id, ..
            }
            | Self::RunFinished {
                session, run_id, ..
            } => (session, run_id),
        }
    }

    /// Returns true if no further event follows.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::RunFinished { .. })
    }

    /// Why the run ended, if it did.
    pub fn end(&self) -> Option<&RunEnd> {
        match self {
            Self::RunFinished { run, .. } => Some(&run.end),
            _ => None,
        }
    }
}
