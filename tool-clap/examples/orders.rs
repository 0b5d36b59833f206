//! A command line whose subcommands are tools: `cargo run -p toolwright-clap --example orders -- list Ada --limit=1`, or
//! without arguments.

use clap::{CommandFactory, FromArgMatches, Parser};
use toolwright::{Context, ToolCall, ToolError};
use toolwright_clap::tools_of;

#[derive(Parser)]
enum Cli {
    /// Lists the orders of a customer
    List {
        /// Name of the customer
        customer: String,
        /// Most orders to list
        #[arg(long, default_value_t = 20)]
        limit: u16,
    },
    /// Serves the orders over HTTP
    Serve,
}

/// What each subcommand does, whoever calls it.
fn run(cli: Cli) -> Result<String, ToolError> {
    match cli {
        Cli::List { customer, limit } => Ok(format!("at most {limit} orders of {customer}")),
        Cli::Serve => Err(ToolError::failed("there is no server in this example")),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().len() > 1 {
        println!("{}", run(Cli::parse())?);
        return Ok(());
    }
    let import = tools_of(Cli::command())
        .annotate(|name, options| match name {
            "list" => options.read_only(true).destructive(false),
            _ => options,
        })
        .handler_sync(|matches, _cx| match Cli::from_arg_matches(&matches) {
            Ok(cli) => run(cli),
            Err(error) => Err(ToolError::failed(error.to_string())),
        });
    for notice in &import.notices {
        println!("{notice}");
    }
    // The tools go to an agent, an MCP server or a provider, as any others.
    let call = ToolCall::new("1", "list", r#"{"customer": "--limit=1", "limit": 5}"#);
    let result = import.tools.call_blocking(&call, &Context::new());
    println!("{:?}", result.value());
    Ok(())
}
