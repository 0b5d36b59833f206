//! `shop` on the command line, over HTTP and MCP.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use toolwright::agent::Endpoint;
use toolwright::serve::Serve;

use super::{agent, tools};

pub fn main() -> Result<ExitCode, Box<dyn Error>> {
    let key = std::env::var("OPENAI_API_KEY").unwrap_or_default();
    let model = Endpoint::openai_chat("https://api.openai.com/v1", "gpt-5", key);
    let tools = tools::all(&Arc::new(tools::Shop::open()));
    let agent = agent::agent(model, &tools)?;
    Ok(Serve::new(tools).name("shop").agent(agent).run())
}
