//! One toolset out in the world: an MCP server and client, a command line, HTTP. Use it through the
//! crate `toolwright`, feature `mcp` or `serve`.

#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod http;
pub mod mcp;
