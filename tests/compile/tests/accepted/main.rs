//! The accepted language: each module compiles without a warning of the compiler, and runs.
// Many of them are strange on purpose.
#![allow(clippy::all)]

mod approved;
mod arguments;
mod asynchronous;
mod attributes;
mod borrowed;
pub mod calls;
mod contexts;
mod crate_path;
mod defaults;
mod emoji;
mod from_macros;
mod generics;
mod handles;
mod hygiene;
mod inside_functions;
mod lifetimes;
mod methods;
mod no_prelude;
mod offered_methods;
mod options;
mod owned;
mod provide;
mod raw_names;
mod results;
mod schemas;
mod state;
mod targets;
mod versions;
