//! The code and the outputs of the guide: a module for each page, which its page includes. Code runs as it is shown;
//! what `println!` writes is compared with the file that the page shows (`BLESS=1` writes it).
// The guide shows what people write.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    dead_code,
    missing_docs
)]

#[macro_use]
mod output;

mod agents;
mod application;
mod arguments;
mod bounds;
mod calls;
mod change_a_tool;
mod cookbook;
mod costs;
mod errors;
mod examples;
mod first_tool;
mod many_tools;
mod mcp_client;
mod mcp_server;
mod other_schemas;
mod pages;
mod people;
mod providers;
mod readme;
mod results;
mod safety;
mod schemas_by_hand;
mod serve;
mod state;
mod testing;
mod turns;
mod your_client;
