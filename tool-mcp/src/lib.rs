//! The Model Context Protocol: an MCP server for a toolset, and a client that makes a toolset of an MCP server.
//!
//! Use it through the crate `toolwright`, as `toolwright::mcp`.

#[doc(hidden)]
pub mod body;
mod client;
mod elicit;
#[doc(hidden)]
pub mod exclusive_gate;
#[doc(hidden)]
pub mod outside;
#[doc(hidden)]
pub mod progress;
mod protocol;
#[doc(hidden)]
pub mod random;
mod server;
#[doc(hidden)]
pub mod site;
#[doc(hidden)]
pub mod stdout;
#[doc(hidden)]
pub mod token;

pub use self::client::{
    Client, ClientEvent, ConnectError, ConnectErrorKind, Connector, Elicitation, Notice,
    NoticeKind, ServerAt, connect,
};
pub use self::elicit::{ElicitResult, ElicitResults};
pub use self::server::{HttpBody, HttpService, McpServer, ServerLimits};
