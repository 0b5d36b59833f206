//! The page `serve.md`.

// ANCHOR: mcp
use std::error::Error;
use std::process::{Command, ExitCode};

use toolwright::mcp;
use toolwright::serve::Serve;
use toolwright::{Registry, tool, tools};

/// Tells the time.
#[tool(read_only)]
fn now() -> &'static str {
    "noon"
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let tools = Registry::from(tools![now]);
    let mut server = Command::new("weather-program");
    server.arg("mcp");
    let _client = mcp::connect(server)
        .prefix("weather_")
        .registry(&tools)
        .await?;
    Ok(Serve::new(tools).run())
}
// ANCHOR_END: mcp

#[test]
fn a_server_that_does_not_start_is_an_error() {
    let error = main().unwrap_err().to_string();
    assert!(error.contains("weather-program"), "{error}");
}
