//! Parts of an HTTP server of tools, below `toolwright-mcp` and `toolwright-serve`.
//!
//! In the order in which to read it:
//!
//! | module | job |
//! | --- | --- |
//! | [`headers`] | single headers, media types, bearer tokens |
//! | [`site`] | checks of a request's host and origin; pages that may read a response |
//! | [`body`] | request bodies with limits of size, time and total memory; draining an unread rest |
//! | [`answer`] | response bodies in pieces, counted until the client has read them |
//! | [`events`] | server-sent events, with comments that keep the connection open |
//! | [`error`] | why a request of a client failed |
//! | [`token`], [`random`], [`stdout`] | checks of tokens; random ids; the standard output, reserved for answers |
//!
//! The crate is not part of the stable API.

#[cfg(feature = "server")]
pub mod answer;
#[cfg(feature = "server")]
pub mod body;
#[cfg(feature = "client")]
pub mod error;
#[cfg(feature = "server")]
pub mod events;
#[cfg(feature = "server")]
pub mod headers;
pub mod random;
#[cfg(feature = "server")]
pub mod site;
pub mod stdout;
pub mod token;
