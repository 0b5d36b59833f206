//! HTTP on a real listener, asked over raw sockets.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps
)]

mod agents;
mod below;
mod calls;
mod client;
mod connections;
mod definitions;
mod endings;
mod guard;
mod hosts;
mod needs_approval;
mod outputs;
mod page;
mod stored_agents;
mod tools;
mod waiting;
