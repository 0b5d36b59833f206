//! `check --foreign` and `lock --foreign`: the tools of another MCP server, in place of this program's own.

use std::io;

use clap::{Arg, ArgMatches, Command};
use toolwright_mcp::connect;

use super::exit::Exit;
use super::show::print_error;
use super::{Subject, environment_token, word};
use crate::serve::runtime;

/// Adds the flags to a command.
pub(super) fn with_flags(program: Command, name: &'static str) -> Command {
    program.mut_subcommand(name, |command| {
        command.args([
            Arg::new("foreign")
                .long("foreign")
                .value_name("URL")
                .help("Takes the tools of this MCP server, a URL or a command, in place of this program's"),
            Arg::new("token-env")
                .long("token-env")
                .value_name("VARIABLE")
                .requires("foreign")
                .help("The environment variable with the token for the server"),
        ])
    })
}

/// Fetches the server's tools, with notices of what its client left out or changed.
pub(super) fn fetch(server: &str, asked: &ArgMatches) -> Result<Subject, io::Result<Exit>> {
    // What it says of their effects is compared, too.
    let mut connector = connect(server).trust_hints();
    if let Some(variable) = word(asked, "token-env") {
        match environment_token(variable) {
            Ok(token) => connector = connector.bearer(&token),
            Err(exit) => return Err(Ok(exit)),
        }
    }
    let runtime = runtime().map_err(Err)?;
    let fetched = runtime.block_on(async {
        let client = connector.await?;
        let fetched = Subject {
            tools: client.toolset(),
            notices: client.notices(),
            #[cfg(feature = "lock")]
            is_foreign: true,
        };
        client.close().await;
        Ok(fetched)
    });
    runtime.shutdown_background();
    fetched.map_err(|error: toolwright_mcp::ConnectError| {
        print_error(&error.to_string());
        Ok(Exit::Failed)
    })
}
