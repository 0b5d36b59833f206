//! Tools of clap programs, as child processes and by handlers.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "shop/cli.rs"]
#[allow(dead_code)] // What they hold is printed.
mod cli;
mod handler;
mod odd;
mod process;
mod schema;
mod values;

use std::path::PathBuf;

use clap::CommandFactory;
use serde_json::Value;
use toolwright::{Context, ToolCall, ToolError, ToolResult, Toolset};
use toolwright_clap::{ClapTools, Process, tools_of};

/// The program of `tests/it/shop`.
fn shop() -> PathBuf {
    example("shop")
}

fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = profile.join("examples").join(name);
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "it is built by `cargo test -p toolwright-clap` without a target"
    );
    program
}

fn shop_tools(process: Process) -> ClapTools {
    tools_of(cli::Cli::command()).process(process)
}

async fn call(tools: &Toolset, name: &str, arguments: Value) -> ToolResult {
    let call = ToolCall::new("1", name.to_owned(), arguments.to_string());
    tools.call(&call, &Context::new()).await
}

/// The text that a model reads of a success.
async fn text(tools: &Toolset, name: &str, arguments: Value) -> String {
    let result = call(tools, name, arguments).await;
    let value = result.value();
    let value = value.unwrap_or_else(|| panic!("{:?}", result.outcome));
    value.as_str().unwrap().to_owned()
}

async fn error(tools: &Toolset, name: &str, arguments: Value) -> ToolError {
    call(tools, name, arguments).await.outcome.unwrap_err()
}

fn schema(tools: &Toolset, name: &str) -> Value {
    tools.get(name).unwrap().def().input.to_value()
}
