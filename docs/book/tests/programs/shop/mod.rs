//! The program of the page `application.md`, with a scripted model in place of a provider's.

pub mod agent;
#[allow(dead_code)] // It asks a real model.
mod main;
pub mod tools;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use toolwright::ToolCall;
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::{Model, ModelResponse, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::serve::Serve;

// ANCHOR: scripted
/// Refunds what the user asks for.
struct Scripted;

impl Model for Scripted {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let response = match request.thread.messages().last() {
            Some(ThreadMessage::User { .. }) => {
                let call = ToolCall::new("c1", "refund", r#"{"id": 7, "cents": 500}"#);
                ModelResponse::calls([call])
            }
            _ => ModelResponse::text("You have 5.00 back."),
        };
        Box::pin(async { Ok(response) })
    }
}
// ANCHOR_END: scripted

pub fn main() -> Result<ExitCode, Box<dyn Error>> {
    let tools = tools::all(&Arc::new(tools::Shop::open()));
    let agent = agent::agent(Scripted, &tools)?;
    if std::env::args().nth(1).as_deref() == Some("ask") {
        let runtime = tokio::runtime::Runtime::new()?;
        let answer = runtime.block_on(agent::ask(&agent, "ada-1", "Half of order 7, please."))?;
        std::println!(
            "{}",
            answer.as_deref().unwrap_or("A person has to approve it.")
        );
        return Ok(ExitCode::SUCCESS);
    }
    Ok(Serve::new(tools).name("shop").agent(agent).run())
}
