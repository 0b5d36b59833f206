// How do I ask before a tool pays?

use toolwright::call::Decision;
use toolwright::executor::ResumeError;
use toolwright::layers::{Approval, Risk};
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Pay an invoice.
#[tool(meta(risk = "high"))]
async fn pay(invoice: u32, euros: u32) -> String {
    format!("{euros} euros are paid for invoice {invoice}")
}

/// List the invoices that are not paid.
#[tool(read_only)]
async fn open_invoices() -> Vec<u32> {
    vec![7, 8]
}

#[tokio::main]
async fn main() -> Result<(), ResumeError> {
    let tools = tools![pay, open_invoices];
    let executor = Executor::serial(&tools).layer(Approval::at_least(Risk::High));
    let calls = [
        ToolCall::new("call_1", "open_invoices", "{}"),
        ToolCall::new("call_2", "pay", r#"{"invoice": 7, "euros": 40}"#),
        ToolCall::new("call_3", "pay", r#"{"invoice": 8, "euros": 9000}"#),
    ];
    let cx = Context::new();
    let batch = executor.run(&calls, &cx).await;

    // Show these to a person, who decides.
    let decisions = batch.pending().map(|pending| {
        println!("{}({})?", pending.call.name, pending.call.arguments);
        match pending.index {
            1 => (1, Decision::Approve),
            index => (index, Decision::Reject("ask the boss first".into())),
        }
    });
    let batch = batch.resume(&executor, decisions, &cx).await?;
    for result in batch.results() {
        println!("{}: {}", result.id, result.content(Encoder::auto()));
    }
    Ok(())
}

// Prints:
// pay({"invoice": 7, "euros": 40})?
// pay({"invoice": 8, "euros": 9000})?
// call_1: [7,8]
// call_2: 40 euros are paid for invoice 7
// call_3: the call was rejected: ask the boss first
