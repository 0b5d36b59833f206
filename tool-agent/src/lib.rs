//! A model in the loop, with people who can pause it: threads, agents, sessions.
//!
//! Use it through the crate `toolwright`, feature `agent`.
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `agent` | the loop: `engine` visits the model and the tools until a run ends or pauses | `agent/engine.rs` |
//! | `thread`, `message` | a conversation, its answers and its repair | `Thread` |
//! | `session` | the state at a pause: what waits, and decisions about it | `Session` |
//! | `checkpoint`, `delta` | stores and leases: memory, file, SQLite | `Checkpointer` |
//! | `journal`, `digest` | the records of calls that a crash interrupts; digests of approved calls | |
//! | `model`, `http`, `format` | models, models over HTTP, and threads as their messages | `Model`, `Endpoint` |
//! | `tool_node`, `budget` | parts of the loop for other loops; limits of spending | `ToolNode` |
//! | `event`, `run`, `span` | events, results and spans of a run | |
//! | `testing` | `ScriptedModel`, and the suite that every store passes | |
//!
//! Each call has one answer: `thread::answer` puts it in its place, and the journal knows which calls began.
//! `tests/it/random_runs.rs` tests that.

mod agent;
mod budget;
mod checkpoint;
pub mod delta;
mod digest;
mod event;
mod format;
#[cfg(feature = "http")]
mod http;
mod journal;
mod message;
mod model;
mod run;
mod session;
mod span;
pub mod testing;
mod thread;
mod tool_node;

pub use self::agent::{Agent, AgentTool, HANDOFF, Hooks, StepResult, Waiting, WaitingFor, handoff};
pub use self::budget::{Budget, Left, Money, Price, Prices};
#[cfg(feature = "sqlite")]
pub use self::checkpoint::SqliteCheckpointer;
pub use self::checkpoint::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Damage, DamagedPart, Keep, Lease,
    MemoryCheckpointer, NewCheckpoint, SessionHead, Written,
};
pub use self::event::{Listener, RunEvent};
pub use self::format::FormatError;
#[cfg(feature = "http")]
pub use self::http::Endpoint;
pub use self::journal::{Begin, Begun, CallRecord, End, made_before};
pub use self::message::{Asks, Assistant, Native, Question, ThreadMessage, ToolMessage, wire_name};
pub use self::model::{DeltaSink, Model, ModelError, ModelErrorKind, ModelRequest, ModelResponse};
pub use self::run::{AgentError, Node, Run, RunEnd};
pub use self::session::{
    CallRef, PendingCall, PendingCallReason, Queue, Session, SessionError, Status,
};
pub use self::thread::{OpenQuestion, Thread, ThreadError, ThreadRepair, Unanswered};
pub use self::tool_node::{ToolNode, ToolNodeResult, route};
pub use toolwright_provider::wire::Usage;

/// Boxed future that is `Send`. [`Model`] and [`Checkpointer`] return it.
#[doc(inline)]
pub use toolwright_runtime::tool::BoxFuture;
