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
mod random;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod signals;
mod stdout;
mod token;
mod turns;

/// How long calls have to be answered that are cancelled since the server ends.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(2);

#[cfg(feature = "serve")]
pub use self::serve::{Serve, main};
#[cfg(feature = "serve")]
pub use axum;
