//! Servers of a toolset: HTTP, and a command line.
//!
//! Use it through the crate `toolwright`, feature `serve`.
//!
//! | module | job | begin at |
//! | --- | --- | --- |
//! | `serve` | one executor behind the command line, HTTP and MCP | `main`, `Serve` |
//! | `cli` | commands and flags from schemas, exit codes, stored sessions | `cli/command.rs` |
//! | `http` | axum routes, connections with limits, the document, the page, calls that wait | `http/mod.rs` |
//! | `answer`, `definitions` | the texts that all of them share | |
//!
//! A new command is a case of `cli/command.rs`, a new route a line of `http/mod.rs`.

mod answer;
mod cli;
mod definitions;
pub mod http;
mod serve;
mod signals;

pub use axum;

pub use self::serve::{Serve, main};
