// How do I hand a conversation over to another agent?

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, RunEvent, Session, handoff};
use toolwright::{Context, ToolCall, Toolset, tool, tools};

/// Look up an invoice.
#[tool(read_only)]
async fn invoice(number: u32) -> String {
    format!("invoice {number} was paid in May")
}

fn calls(id: &str, name: &str, arguments: &str) -> ModelResponse {
    ModelResponse::calls([ToolCall::new(id, name, arguments)])
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The scripts stand for models of a provider.
    let billing = ScriptedModel::new([
        Ok(calls("call_2", "invoice", r#"{"number": 7}"#)),
        Ok(ModelResponse::text("It was paid in May.")),
    ]);
    let billing = Agent::new(billing, tools![invoice]).system("You know all invoices.");

    let desk = ScriptedModel::new([Ok(calls("call_1", "transfer_to_billing", "{}"))]);
    let transfer = handoff("billing", "Answers questions about invoices.")?;
    let desk = Agent::new(desk, Toolset::new([transfer])?)
        .system("You welcome people.")
        .name("desk")
        .peer("billing", billing)
        .on_event(|event| {
            if let RunEvent::HandedOver { agent, .. } = event {
                println!("over to {agent}");
            }
        });

    let mut session = Session::ask("Was invoice 7 paid?");
    let run = desk.run(&mut session, &Context::new()).await?;
    println!("{}", run.text().unwrap_or_default());
    // The session remembers who answers.
    println!("{}", session.agent().unwrap_or("desk"));
    Ok(())
}

// Prints:
// over to billing
// It was paid in May.
// billing
