//! The Model Context Protocol: an MCP server for a toolset, and a client that makes a toolset of an MCP server.
//!
//! Use it through the crate `toolwright`, as `toolwright::mcp`. Each part is a feature there: `mcp-server`,
//! `mcp-server-http`, `mcp-client`, `mcp-client-http`, `oauth`.
//!
//! ```text
//!   a client ── pipe, http ──▶ server::dispatch ──▶ toolwright-runtime's executor
//!   a toolset ──▶ client::remote ── stdio, http ──▶ a server
//!            both by protocol: messages, ids, versions
//! ```
//!
//! In the order in which to read it:
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `protocol` | messages as texts, ids, versions, errors, lines; broken messages | `protocol/message.rs` |
//! | `server::dispatch` | answers every request; `server::call` runs a tool, `server::requests` knows what runs | `server/dispatch.rs` |
//! | `server::pipe`, `server::http` | bring requests; sessions, streams and access tokens over HTTP | `server/pipe.rs` |
//! | `server::{catalog, tasks, prompt, completion}` | lists, tasks, prompts, completions | |
//! | `client::connector` | a server's tools as a toolset: settings, greeting, lists | `Connector` |
//! | `client::connection` | requests in flight and their answers, over `client::stdio` or `client::http` | `client/connection.rs` |
//! | `outside`, `progress` | lent to `toolwright-serve` | |
//!
//! A request of a client is answered once: `server::requests` keeps that. A new method is a case of `server::dispatch`.

#[cfg(feature = "client")]
mod client;
#[cfg(any(feature = "server", feature = "client"))]
mod elicit;
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
mod server;
#[cfg(any(feature = "server", feature = "client"))]
mod trace;

#[cfg(all(feature = "oauth", feature = "client-http"))]
pub use self::client::{AuthorizationRequest, OAuth, OAuthHostError, StoredTokens, TokenStore};
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
pub use self::server::{HttpBody, HttpService};
#[cfg(any(feature = "server", feature = "client"))]
pub use self::trace::TraceContext;
#[cfg(any(feature = "server", feature = "client"))]
pub use toolwright_provider::definitions::{Notice, NoticeKind};
