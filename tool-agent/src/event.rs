//! Events of running agents, and the trait that receives them.

mod trace;

use std::time::Duration;

use toolwright_provider::call::ToolCall;
use toolwright_provider::definitions::Notice;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::StreamEvent;
use toolwright_runtime::executor::Event;

use crate::model::{ModelError, ModelRequest, ModelResponse};
use crate::run::{AgentError, Run, RunEnd};
use crate::session::Node;

/// Event of a running agent, sent when it happens.
///
/// Every event carries its [session](Self::session) and [run](Self::run_id), so one listener can serve many agents.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// A run starts, or continues after a pause.
    RunStarted {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
    },
    /// A visit of a node starts.
    NodeStarted {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// The node.
        node: Node,
    },
    /// A request leaves a tool out, since the model's provider refuses the tool's schema. Sent once for each tool, run and
    /// dialect. The tool can be called as before, and other tools work.
    ToolLeftOut {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// Dialect in which the request declares its tools.
        dialect: Dialect,
        /// The tool and the reason.
        notice: &'a Notice,
    },
    /// A request goes to the model. [`ModelFinished`](Self::ModelFinished) or [`ModelFailed`](Self::ModelFailed)
    /// follows, unless the run is cancelled.
    ModelStarted {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// Name of the agent whose model it is.
        agent: Option<&'a str>,
        /// Turn of the run, from 0.
        turn: u32,
        /// The request.
        request: &'a ModelRequest<'a>,
    },
    /// A piece of a streamed response.
    Delta {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// The piece.
        delta: &'a StreamEvent,
    },
    /// The model has responded.
    ModelFinished {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// Name of the agent whose model it is.
        agent: Option<&'a str>,
        /// Turn of the run, from 0.
        turn: u32,
        /// The response.
        response: &'a ModelResponse,
        /// Time since the request.
        duration: Duration,
    },
    /// The model has failed.
    ModelFailed {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// Name of the agent whose model it is.
        agent: Option<&'a str>,
        /// Turn of the run, from 0.
        turn: u32,
        /// The error.
        error: &'a ModelError,
        /// Time since the request.
        duration: Duration,
    },
    /// The model has made calls. None of them has started.
    CallsReady {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// The calls, in order.
        calls: &'a [ToolCall],
    },
    /// Event of a call.
    Call {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// The call's event.
        event: &'a Event<'a>,
    },
    /// Another agent took over the conversation.
    HandedOver {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// Name of the other agent.
        agent: &'a str,
    },
    /// A visit of a node has ended.
    NodeFinished {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// The node.
        node: Node,
    },
    /// The run has ended. This is its last event.
    RunFinished {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// Result of the run.
        run: &'a Run,
        /// Time since the run started, or continued.
        duration: Duration,
    },
    /// The run has failed. This is its last event.
    RunFailed {
        /// The session's id.
        session: &'a str,
        /// The run's id.
        run_id: &'a str,
        /// The error, which [`Agent::run`](crate::Agent::run) returns.
        error: &'a AgentError,
        /// Time since the run started, or continued.
        duration: Duration,
    },
}

/// Receives the events of running agents. A panic in a listener does not change the run, and is
/// [reported](toolwright_schema::panics::capture).
///
/// For a closure there is [`Agent::on_event`](crate::Agent::on_event).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not listen to an agent",
    note = "a closure goes to `on_event`: `agent.on_event(|event| …)`",
    note = "a type implements `toolwright::agent::Listener`"
)]
pub trait Listener: Send + Sync {
    /// Handles an event. The agent waits for it, so move long work elsewhere.
    fn event(&self, event: &RunEvent<'_>);

    /// Returns true if the listener wants the model's output while it streams: [`RunEvent::Delta`]. A model streams if a listener
    /// of its agent wants it to; then all listeners receive the deltas. Called once, when the listener is added. Default: true.
    fn wants_deltas(&self) -> bool {
        true
    }
}

/// A closure as a listener.
pub(crate) struct EventFn<F>(pub(crate) F);

impl<F: Fn(&RunEvent<'_>) + Send + Sync> Listener for EventFn<F> {
    fn event(&self, event: &RunEvent<'_>) {
        self.0(event);
    }
}

impl<'a> RunEvent<'a> {
    /// Returns the name, such as `run_started`, for logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::NodeStarted { .. } => "node_started",
            Self::ToolLeftOut { .. } => "tool_left_out",
            Self::ModelStarted { .. } => "model_started",
            Self::Delta { .. } => "delta",
            Self::ModelFinished { .. } => "model_finished",
            Self::ModelFailed { .. } => "model_failed",
            Self::CallsReady { .. } => "calls_ready",
            Self::Call { .. } => "call",
            Self::HandedOver { .. } => "handed_over",
            Self::NodeFinished { .. } => "node_finished",
            Self::RunFinished { .. } => "run_finished",
            Self::RunFailed { .. } => "run_failed",
        }
    }

    /// Returns the id of the session.
    pub fn session(&self) -> &'a str {
        self.origin().0
    }

    /// Returns the id of the run, which the calls' [idempotency keys](toolwright_runtime::tool::Context::idempotency_key) and
    /// spans contain: see [`Session::run_id`](crate::Session::run_id).
    pub fn run_id(&self) -> &'a str {
        self.origin().1
    }

    fn origin(&self) -> (&'a str, &'a str) {
        match *self {
            Self::RunStarted { session, run_id }
            | Self::NodeStarted {
                session, run_id, ..
            }
            | Self::ToolLeftOut {
                session, run_id, ..
            }
            | Self::ModelStarted {
                session, run_id, ..
            }
            | Self::ModelFailed {
                session, run_id, ..
            }
            | Self::RunFailed {
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

    /// Returns true for the last event of a run.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::RunFinished { .. } | Self::RunFailed { .. })
    }

    /// Returns the reason why the run ended, if this is its last event.
    pub fn end(&self) -> Option<&RunEnd> {
        match self {
            Self::RunFinished { run, .. } => Some(&run.end),
            _ => None,
        }
    }
}
