//! One machine of a fleet: it has the tools of the queue `billing`, and runs the agent `support`. Run `client.rs` beside it.
//!
//! ```sh
//! temporal server start-dev
//! cargo run --example worker
//! ```

use std::time::Duration;

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, SqliteCheckpointer};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, Outcome, ToolCall, tool, tools};
use toolwright_fleet::Fleet;

/// Charges a customer.
#[tool(destructive)]
async fn charge(customer: u32, cents: u64, #[context] cx: &Context) -> String {
    tokio::time::sleep(Duration::from_secs(1)).await;
    // A bank that gets this key twice charges once.
    let key = cx.idempotency_key().unwrap_or_default();
    format!("charged customer {customer} {cents} cents, as {key}")
}

/// Asks how the receipt is sent.
#[tool]
fn receipt() -> Outcome {
    Outcome::ask("How shall the receipt be sent?").option("choices", ["mail", "letter"])
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("TEMPORAL_ADDRESS");
    let fleet = Fleet::connect(address.as_deref().unwrap_or("http://127.0.0.1:7233")).await?;

    // The agent calls tools by the fleet, on whichever machine has them. Here it is this one.
    let far = fleet.toolset("billing", &tools![charge, receipt])?;
    // In place of a provider's model, such as `Endpoint::openai_chat(url, "gpt-5", key)`.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([
            ToolCall::new("c1", "charge", r#"{"customer": 4, "cents": 990}"#),
            ToolCall::new("c2", "receipt", "{}"),
        ])),
        Ok(ModelResponse::text(
            "Customer 4 is charged, and the receipt is on its way.",
        )),
    ]);
    let executor = Executor::parallel(&far, 4).layer(Approval::default());
    // Several machines need a store that all of them reach: `toolwright_postgres::PostgresCheckpointer`.
    let store = std::env::temp_dir().join(format!("support-{}.db", std::process::id()));
    let agent =
        Agent::with_executor(model, executor).checkpointer(SqliteCheckpointer::open(store)?);

    let worker = fleet
        .worker()
        .tools("billing", tools![charge, receipt])
        .agent("support", agent);
    println!("serving; Ctrl+C stops");
    let stop = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
    Ok(worker.run(stop).await?)
}
