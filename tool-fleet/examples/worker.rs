//! One machine of a fleet: it has the tools of the queue `billing`, and runs the agent `support`. Run it twice, and `client.rs`
//! beside it.
//!
//! ```sh
//! DATABASE_URL=postgres://localhost/agents cargo run --example worker
//! ```
//!
//! With arguments it is a command line for the conversations: `cargo run --example worker sessions list`.

use std::env::{args, var};
use std::process::ExitCode;
use std::time::Duration;

use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::{Agent, Model, ModelResponse, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::layers::Approval;
use toolwright::serve::Serve;
use toolwright::{Context, Executor, Outcome, ToolCall, tool, tools};
use toolwright_fleet::Fleet;
use toolwright_postgres::{Database, PostgresCheckpointer};

/// Charges a customer.
#[tool(destructive)]
async fn charge(customer: u32, cents: u64, cx: &Context) -> String {
    println!("charging customer {customer} {cents} cents");
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

/// In place of a provider's model, such as `Endpoint::openai_chat(url, "gpt-5", key)`.
struct Support;

impl Model for Support {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let response = match request.thread.messages().last() {
            Some(ThreadMessage::Tool(_)) => {
                ModelResponse::text("Customer 4 is charged, and the receipt is on its way.")
            }
            _ => ModelResponse::calls([
                ToolCall::new("c1", "charge", r#"{"customer": 4, "cents": 990}"#),
                ToolCall::new("c2", "receipt", "{}"),
            ]),
        };
        Box::pin(async { Ok(response) })
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let address = var("TEMPORAL_ADDRESS").unwrap_or("http://127.0.0.1:7233".to_owned());
    let fleet = Fleet::connect(&address).await?;

    // All machines share the sessions.
    let database = Database::connect(&var("DATABASE_URL").map_err(|_| "set DATABASE_URL")?)?;
    database.migrate().await?;
    let store = PostgresCheckpointer::open(database).await?;

    // The agent calls tools by the fleet, on whichever machine has them.
    let far = fleet.toolset("billing", &tools![charge, receipt])?;
    let executor = Executor::parallel(&far, 4).layer(Approval::default());
    let agent = Agent::with_executor(Support, executor).checkpointer(store);

    if args().len() > 1 {
        return Ok(Serve::new(far).agent(agent).run());
    }
    let worker = fleet
        .worker()
        .tools("billing", tools![charge, receipt])
        .agent("support", agent);
    println!("serving; Ctrl+C stops");
    worker.run(stopped()).await?;
    Ok(ExitCode::SUCCESS)
}

/// Waits for Ctrl+C, or for the SIGTERM by which orchestrators stop a program.
async fn stopped() {
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signals) => drop(signals.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}
