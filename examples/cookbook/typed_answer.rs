// How do I get an agent's answer as a Rust value?

use serde::Deserialize;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::{Context, Schema, ToolCall, tool, tools};

/// Read an email.
#[tool(read_only)]
async fn read_email(number: u32) -> String {
    format!("Email {number}: Dear shop, I want 2 lamps. Ada")
}

#[derive(Debug, Deserialize, Schema)]
struct Order {
    customer: String,
    /// Number of lamps
    #[schema(range(1..=100))]
    lamps: u8,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Stands for a model of a provider.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "call_1",
            "read_email",
            r#"{"number": 3}"#,
        )])),
        Ok(ModelResponse::text("Ada wants two lamps.")),
        Ok(ModelResponse::text(r#"{"customer": "Ada", "lamps": 2}"#)),
        Ok(ModelResponse::text(r#"{"customer": "Ada", "lamps": 200}"#)),
    ]);
    let agent = Agent::new(model, tools![read_email]);
    let mut session = Session::ask("What does email 3 order?");
    let cx = Context::new();
    let _ = agent.run(&mut session, &cx).await?;

    // One more request, without tools, which asks for this form.
    let order: Order = agent.finalize(&mut session, &cx).await?;
    println!("{} lamps for {}", order.lamps, order.customer);

    // What does not fit the type is an error.
    if let Err(error) = agent.finalize::<Order>(&mut session, &cx).await {
        println!("{error}");
    }
    Ok(())
}

// Prints:
// 2 lamps for Ada
// the answer does not match the schema: lamps: expected an integer from 1 to 100, got 200
