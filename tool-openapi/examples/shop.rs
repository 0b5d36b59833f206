//! An agent on the tools of an API: it reads by itself, and asks before it writes.

use std::error::Error;

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall};
use toolwright_openapi::OpenApi;

const DOCUMENT: &str = include_str!("shop.json");

async fn shop(base_url: &str, token: &str) -> Result<(), Box<dyn Error>> {
    let api = OpenApi::parse(DOCUMENT)?.base_url(base_url)?;
    for notice in api.notices() {
        println!("{notice}");
    }
    let tools = api
        .bearer(token)
        .preset("api-version", "2024-01-01")
        .hide(|parameter| parameter.name == "fields")
        .toolset()?;
    for tool in tools.iter() {
        println!("{} {}", tool.name(), tool.def().input.as_json());
    }

    // A model that follows a script; `Endpoint` is one behind HTTP.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "1",
            "list_orders",
            r#"{"customer": "Ann"}"#,
        )])),
        Ok(ModelResponse::calls([ToolCall::new(
            "2",
            "cancel_order",
            r#"{"id": "7"}"#,
        )])),
    ]);
    let executor = Executor::serial(&tools).layer(Approval::default());
    let agent = Agent::with_executor(model, executor);
    let mut session = Session::ask("Cancel Ann's order.");
    let cx = Context::new();
    let run = agent.run(&mut session, &cx).await?;
    println!("{}", run.end.as_str());
    for waiting in agent.waiting(&session, &cx) {
        println!(
            "May it run? {} {}",
            waiting.tool,
            waiting.arguments.unwrap_or_default()
        );
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    shop(&std::env::var("SHOP_URL")?, &std::env::var("SHOP_TOKEN")?).await
}
