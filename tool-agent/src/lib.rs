//! A model in the loop, with people who can pause it: threads, agents, sessions. Use it through the
//! crate `toolwright`, feature `agent`.

mod agent;
mod checkpoint;
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

pub use self::agent::{Agent, AgentTool, HANDOFF, Hooks, Step, handoff};
#[cfg(feature = "sqlite")]
pub use self::checkpoint::SqliteCheckpointer;
pub use self::checkpoint::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Damage, DamagedPart,
    MemoryCheckpointer, NewCheckpoint, Storing, Written,
};
pub use self::event::{Event, Listener};
pub use self::format::FormatError;
#[cfg(feature = "http")]
pub use self::http::Endpoint;
pub use self::journal::{Begin, Begun, CallRecord, UnknownOutcome};
pub use self::message::{Asks, Assistant, Message, Native, Question, ToolMessage, wire_name};
pub use self::model::{Model, ModelError, ModelErrorKind, News, Request, Responding, Response};
pub use self::run::{AgentError, Halted, Node, Run};
pub use self::session::{CallRef, PendingCall, Queue, Session, SessionError, Status, Why};
pub use self::thread::{OpenQuestion, Repair, Thread, ThreadError, Unanswered};
pub use self::tool_node::{Answers, ToolNode, route};
pub use toolwright_runtime::Usage;
