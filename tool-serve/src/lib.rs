//! One toolset out in the world: an MCP server and client, a command line, HTTP. Use it through the
//! crate `toolwright`, feature `mcp` or `serve`.

#[cfg(feature = "cli")]
mod answer;
mod body;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod definitions;
#[cfg(feature = "cli")]
pub mod http;
#[cfg(feature = "cli")]
mod json;
pub mod mcp;
mod progress;
#[cfg(feature = "cli")]
mod serve;
#[cfg(feature = "cli")]
mod signals;
mod stdout;
mod turns;

#[cfg(feature = "cli")]
pub use self::serve::{Serve, main};
#[cfg(feature = "cli")]
pub use axum;
