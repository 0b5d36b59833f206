//! Toolwright's tools and agents on several machines, by way of a [Temporal](https://temporal.io) server.
//!
//! A [`Fleet`] is the connection to the server. A [`Worker`] is a machine that has tools or agents. [`Fleet::toolset`] makes tools
//! whose code runs on a worker, and [`Fleet::conversation`] talks to an agent that a worker runs.

mod agent_host;
mod call;
mod conversation;
mod error;
mod fleet;
mod payloads;
mod remote;
mod state;
mod tools_host;
mod version;
mod wire;
mod worker;
mod workflow;

pub use conversation::{Conversation, ConversationInfo, HistoryEntry};
pub use error::FleetError;
pub use fleet::{Fleet, FleetBuilder};
pub use payloads::{FilePayloads, MemoryPayloads, PayloadError, PayloadStore};
pub use state::{
    CallName, ConversationError, ConversationErrorKind, ConversationState, Input, PendingInfo,
    QuestionInfo, RefusedInput,
};
pub use worker::Worker;
