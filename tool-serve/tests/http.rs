//! HTTP on a real listener, asked over raw sockets.

#[path = "http/calls.rs"]
mod calls;
#[path = "http/client.rs"]
mod client;
#[path = "http/endings.rs"]
mod endings;
#[path = "http/guard.rs"]
mod guard;
#[path = "http/tools.rs"]
mod tools;
