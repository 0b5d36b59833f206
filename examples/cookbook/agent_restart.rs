// How do I go on with an agent after a restart?

use std::path::Path;

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentError, ModelResponse, Session, SqliteCheckpointer};
use toolwright::call::Decision;
use toolwright::layers::{Approval, Risk};
use toolwright::{Context, Executor, ToolCall, tool, tools};

/// Pay an invoice.
#[tool(meta(risk = "high"))]
async fn pay(invoice: u32) -> String {
    println!("paying invoice {invoice}");
    format!("invoice {invoice} is paid")
}

/// The same agent in both processes; the responses stand for a model of a provider.
fn agent(file: &Path, response: ModelResponse) -> Result<Agent, AgentError> {
    let executor = Executor::serial(&tools![pay]).layer(Approval::at_least(Risk::High));
    let agent = Agent::with_executor(ScriptedModel::new([Ok(response)]), executor);
    Ok(agent.checkpointer(SqliteCheckpointer::open(file)?))
}

async fn before_the_restart(file: &Path) -> Result<(), AgentError> {
    let call = ToolCall::new("call_1", "pay", r#"{"invoice": 7}"#);
    let agent = agent(file, ModelResponse::calls([call]))?;
    let mut session = Session::with_id("user_42");
    session.say("Pay invoice 7")?;
    let _ = agent.run(&mut session, &Context::new()).await?;
    for pending in session.pending() {
        println!("before: {} waits for a decision", pending.call.name);
    }
    Ok(())
}

async fn after_the_restart(file: &Path) -> Result<(), AgentError> {
    let agent = agent(file, ModelResponse::text("It is paid."))?;
    let Some(mut session) = agent.state("user_42").await? else {
        return Ok(());
    };
    // `agent.resume("user_42", &cx)` goes on where no input is needed.
    session.decide("call_1", Decision::Approve)?;
    let run = agent.run(&mut session, &Context::new()).await?;
    println!("after: {}", run.text().unwrap_or_default());
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::temp_dir().join(format!("sessions_{}.db", std::process::id()));
    before_the_restart(&file).await?;
    after_the_restart(&file).await?;
    std::fs::remove_file(&file)?;
    Ok(())
}

// Prints:
// before: pay waits for a decision
// paying invoice 7
// after: It is paid.
