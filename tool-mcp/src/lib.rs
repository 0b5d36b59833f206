//! The Model Context Protocol: an MCP server for a toolset, and a client that makes a toolset of an MCP server.
//!
//! Use it through the crate `toolwright`, as `toolwright::mcp`. Each part is a feature there: `mcp-server`,
//! `mcp-server-http`, `mcp-client`, `mcp-client-http`, `oauth`.

#[cfg(feature = "server-http")]
#[doc(hidden)]
pub mod body;
#[cfg(feature = "client")]
mod client;
#[cfg(any(feature = "server", feature = "client"))]
mod elicit;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod exclusive_gate;
#[cfg(any(
    feature = "client-http",
    all(feature = "oauth", feature = "server-http")
))]
mod http_error;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod outside;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod progress;
// A part has no use for some of what both roles speak.
#[cfg_attr(
    not(all(feature = "server-http", feature = "client-http")),
    allow(dead_code, unused_imports)
)]
#[cfg(any(feature = "server", feature = "client"))]
mod protocol;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod random;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server-http")]
#[doc(hidden)]
pub mod site;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod stdout;
#[cfg(any(feature = "server-http", feature = "client-http"))]
#[doc(hidden)]
pub mod token;
#[cfg(any(feature = "server", feature = "client"))]
mod trace;

#[cfg(all(feature = "oauth", feature = "client-http"))]
pub use self::client::{AuthorizationRequest, OAuth, OAuthHostError, StoredTokens, TokenStore};
#[cfg(all(
    feature = "oauth",
    any(feature = "server-http", feature = "client-http")
))]
#[cfg_attr(not(feature = "client-http"), allow(dead_code))]
mod web;

#[cfg(feature = "client")]
pub use self::client::{
    Client, ClientEvent, ConnectError, ConnectErrorKind, Connector, Elicitation, PromptArgument,
    PromptInfo, PromptMessage, ResourceInfo, ServerAt, connect,
};
#[cfg(any(feature = "server", feature = "client"))]
pub use self::elicit::ElicitResult;
#[cfg(feature = "server")]
pub use self::elicit::ElicitResults;
#[cfg(all(feature = "server-http", feature = "oauth"))]
pub use self::server::{Authorization, AuthorizationError, TokenError};
#[cfg(feature = "server")]
pub use self::server::{Completing, McpServer, Messages, ResourceUpdates, ServerLimits};
#[cfg(feature = "server-http")]
pub use self::server::{HttpBody, HttpService, SessionStore, StoredSession};
#[cfg(any(feature = "server", feature = "client"))]
pub use self::trace::TraceContext;
#[cfg(any(feature = "server", feature = "client"))]
pub use toolwright_provider::definitions::{Notice, NoticeKind};
