//! HTTP on a real listener, asked over raw sockets.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps
)]

#[path = "http/below.rs"]
mod below;
#[path = "http/calls.rs"]
mod calls;
#[path = "http/client.rs"]
mod client;
#[path = "http/endings.rs"]
mod endings;
#[path = "http/guard.rs"]
mod guard;
#[path = "http/hosts.rs"]
mod hosts;
#[path = "http/tools.rs"]
mod tools;
#[path = "http/waiting.rs"]
mod waiting;
