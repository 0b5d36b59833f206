//! `check --foreign`: the tools of another MCP server, checked as this program's own are.

use std::io;

use clap::{Arg, ArgMatches, Command};
use toolwright_mcp::{Notice, connect};
use toolwright_runtime::toolset::Toolset;

use super::exit::Exit;
use super::show::print_error;
use super::{environment_token, word};
use crate::serve::runtime;

/// Adds the flags to `check`.
pub(super) fn with_flags(program: Command) -> Command {
    program.mut_subcommand("check", |check| {
        check.args([
            Arg::new("foreign")
                .long("foreign")
                .value_name("URL")
                .help("Checks the tools of this MCP server, a URL or a command, in place of this program's"),
            Arg::new("token-env")
                .long("token-env")
                .value_name("VARIABLE")
                .requires("foreign")
                .help("The environment variable with the token for the server"),
        ])
    })
}

/// Fetches the server's tools, with notices of what its client left out or changed.
pub(super) fn fetch(
    server: &str,
    asked: &ArgMatches,
) -> io::Result<Result<(Toolset, Vec<Notice>), Exit>> {
    let mut connector = connect(server);
    if let Some(variable) = word(asked, "token-env") {
        match environment_token(variable) {
            Ok(token) => connector = connector.bearer(&token),
            Err(exit) => return Ok(Err(exit)),
        }
    }
    let runtime = runtime()?;
    let fetched = runtime.block_on(async {
        let client = connector.await?;
        let fetched = (client.toolset(), client.notices());
        client.close().await;
        Ok(fetched)
    });
    runtime.shutdown_background();
    Ok(fetched.map_err(|error: toolwright_mcp::ConnectError| {
        print_error(&error.to_string());
        Exit::Failed
    }))
}
