//! The tests of the protocol, in one program, which some of them start again: as a server.

mod mcp_agents;
mod mcp_at_once;
#[cfg(feature = "oauth")]
mod mcp_authorization;
mod mcp_bounds;
mod mcp_errors;
mod mcp_needs_approval;
mod mcp_offers;
mod mcp_own;
mod mcp_server;
mod mcp_tasks;
