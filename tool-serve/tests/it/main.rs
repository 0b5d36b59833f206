//! The tests of what is outside, in one program, which some of them start again: as a server.

#[cfg(feature = "serve")]
mod http;
mod mcp_at_once;
mod mcp_everything;
mod mcp_own;
mod mcp_server;
