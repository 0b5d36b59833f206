//! The Model Context Protocol: an MCP server for a toolset, and a client that makes a toolset of an MCP server.

mod broken;
mod client;
mod server;

pub use self::client::{
    Client, ClientEvent, ConnectError, ConnectErrorKind, Connector, Elicitation, Notice,
    NoticeKind, ServerAt, connect,
};
pub use self::server::{
    ElicitResult, ElicitResults, HttpBody, HttpService, McpServer, ServerLimits,
};
