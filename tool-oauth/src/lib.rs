//! Authorization by OAuth 2.1: a client gets access tokens, a server checks them.
//!
//! Use it through the crate `toolwright`, as `toolwright::mcp`, with the feature `oauth`.
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `web` | requests to authorization servers, bounded in bytes and time | `web.rs` |
//! | `issuer` | when two issuers are one | `issuer.rs` |
//! | [`client`] | the flow that gets an access token | [`client::OAuth`] |
//! | [`server`] | access tokens of requests, and the keys that signed them | [`server::Authorization`] |
//!
//! Rules come from the section "Authorization" of the MCP specification, and from the RFCs that each module names.

#[cfg(feature = "client")]
pub mod client;
#[cfg(any(feature = "client", feature = "server"))]
mod issuer;
#[cfg(feature = "server")]
pub mod server;
// Each side has no use for some of it.
#[cfg_attr(not(all(feature = "client", feature = "server")), allow(dead_code))]
#[cfg(any(feature = "client", feature = "server"))]
mod web;
