//! The Model Context Protocol: a server of a toolset, and a client that makes a toolset of a server.

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
