//! Toolwright's tools and agents on several machines, by way of a [Temporal](https://temporal.io) server.
//!
//! A [`Fleet`] is the connection to the server. A [`Worker`] is a machine that has tools or agents. [`Fleet::toolset`] makes tools
//! whose code runs on a worker, and [`Fleet::conversation`] talks to an agent that a worker runs.
//!
//! ```no_run
//! use toolwright::{tool, tools};
//! use toolwright_fleet::Fleet;
//!
//! /// Charges a customer.
//! #[tool]
//! async fn charge(customer: u32, cents: u64) -> String {
//!     format!("charged customer {customer} {cents} cents")
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let fleet = Fleet::connect("http://127.0.0.1:7233").await?;
//! // Here: definitions. `fleet.worker().tools("billing", tools![charge])` has the code, wherever it runs.
//! let far = fleet.toolset("billing", &tools![charge])?;
//! # let _ = far;
//! # Ok(())
//! # }
//! ```
//!
//! Three parts are on the server. A call is an activity, under the call's idempotency key. A conversation is a workflow, which
//! keeps the order of what people say and lets a worker run the agent. A queue of a toolset or agent is a task queue. All else is
//! Toolwright's own: the agent's loop, its checkpoints, approvals, layers.
//!
//! Hosts watch a worker by its [`Health`], and all of it by OpenTelemetry. The README lists the measurements.

mod agent_host;
mod call;
mod conversation;
mod error;
mod fingerprint;
mod fleet;
mod health;
mod metrics;
mod payloads;
mod progress;
mod remote;
mod retention;
mod state;
mod tools_host;
mod wire;
mod worker;
mod workflow;

pub use conversation::{Conversation, ConversationInfo, HistoryEntry};
pub use error::FleetError;
pub use fleet::{Fleet, FleetBuilder};
pub use health::{Health, WorkerStatus};
pub use payloads::{MemoryPayloads, PayloadError, PayloadStore};
pub use progress::{RunningCall, RunningInfo};
pub use state::{ConversationState, Input, RefusedInput};
pub use worker::Worker;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
