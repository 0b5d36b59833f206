//! A model in the loop, with people who can pause it: threads, agents, sessions.
//!
//! Use it through the crate `toolwright`, feature `agent`.
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `agent` | the loop: `engine` visits the model and the tools until a run ends or pauses | `agent/engine.rs` |
//! | [`thread`] | a conversation, its messages, answers and repair; its form for providers | [`Thread`] |
//! | [`session`], `digest` | the state at a pause: what waits, and decisions about it | [`Session`] |
//! | [`store`] | stores and leases, in memory and in SQLite; records of calls that a crash interrupts | [`store::Checkpointer`] |
//! | [`model`], `http` | the trait of models; models over HTTP | [`Model`] |
//! | [`budget`] | limits of spending | [`Budget`] |
//! | [`tool_node`] | parts of the loop, for hosts that run their own | [`tool_node::ToolNode`] |
//! | `event`, `run`, `span` | events, results and spans of a run | |
//! | `testing` | `ScriptedModel`, and the suite that every store passes | |
//!
//! The root has the names that most programs need; the rest is in the modules.
//!
//! Each call has one answer: `thread::answer` puts it in its place, and `store::journal` knows which calls began.
//! `tests/it/random_runs.rs` tests that.

mod agent;
pub mod budget;
mod digest;
mod event;
#[cfg(feature = "http")]
mod http;
pub mod model;
mod run;
pub mod session;
mod span;
pub mod store;
pub mod testing;
pub mod thread;
pub mod tool_node;

pub use self::agent::{Agent, AgentTool, HANDOFF, Hooks, handoff};
#[doc(inline)]
pub use self::budget::Budget;
pub use self::event::{Listener, RunEvent};
#[cfg(feature = "http")]
pub use self::http::Endpoint;
#[doc(inline)]
pub use self::model::{Model, ModelResponse};
pub use self::run::{AgentError, Run, RunEnd};
#[doc(inline)]
pub use self::session::{Node, Session, Status};
#[doc(inline)]
pub use self::store::MemoryCheckpointer;
#[cfg(feature = "sqlite-unbundled")]
#[doc(inline)]
pub use self::store::SqliteCheckpointer;
#[doc(inline)]
pub use self::thread::{Thread, ThreadMessage};
