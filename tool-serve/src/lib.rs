//! Servers of a toolset: HTTP, and a command line.
//!
//! Use it through the crate `toolwright`, feature `serve`.

mod answer;
mod cli;
mod definitions;
pub mod http;
mod json;
mod serve;
mod signals;

pub use axum;

pub use self::serve::{Serve, main};
