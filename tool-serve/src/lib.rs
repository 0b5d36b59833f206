//! One toolset out in the world: an MCP server and client, a command line, HTTP. Use it through the
//! crate `toolwright`, feature `mcp` or `serve`.

#[cfg(feature = "serve")]
mod answer;
mod body;
#[cfg(feature = "serve")]
mod cli;
#[cfg(feature = "serve")]
mod definitions;
#[cfg(feature = "serve")]
pub mod http;
#[cfg(feature = "serve")]
mod json;
pub mod mcp;
mod progress;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod signals;
mod stdout;
mod turns;

#[cfg(feature = "serve")]
pub use self::serve::{Serve, main};
#[cfg(feature = "serve")]
pub use axum;
