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

/// What is known of calls from outside. Nobody knows who wrote their arguments, or who looked at those before: their keys
/// are as they were written.
fn from_outside(cx: Context) -> Context {
    let repairs = cx.repairs().min(Repairs::Values);
    cx.with_repairs(repairs)
}

/// The result of a call that waited, with how its arguments were repaired before.
fn repaired_before(mut result: ToolResult, repairs: &[Repair]) -> ToolResult {
    // One that was read anew says it itself.
    if result.repairs.is_empty() {
        result.repairs = repairs.into();
    }
    result
}

/// How long calls have to be answered that are cancelled since the server ends.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(2);

use toolwright_runtime::{Context, Repair, Repairs, ToolResult};

#[cfg(feature = "serve")]
pub use self::serve::{Serve, main};
#[cfg(feature = "serve")]
pub use axum;
