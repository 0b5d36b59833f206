// ANCHOR: program
use serde_json::json;
use toolwright::call::Decision;
use toolwright::layers::Approval;
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Pays money back to a customer.
#[tool(meta(risk = "high"))]
fn refund(
    /// The order's number
    order: u32,
    /// How much, in cents
    #[arg(range(1..=10_000))]
    cents: u32,
) -> String {
    format!("{cents} cents of order {order} were paid back")
}

/// Deletes an order.
#[tool(destructive)]
fn delete_order(order: u32) -> String {
    format!("order {order} is gone")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let executor = Executor::parallel(tools![refund, delete_order], 8).layer(Approval::default());
    let cx = Context::new();
    let calls = [
        ToolCall::new("call_1", "refund", r#"{"order": 17, "cents": 9900}"#),
        ToolCall::new("call_2", "delete_order", r#"{"order": 18}"#),
        ToolCall::new("call_3", "refund", r#"{"order": 19, "cents": 500}"#),
        ToolCall::new("call_4", "refund", r#"{"order": 20, "cents": 99999}"#),
    ];
    let batch = executor.run(&calls, &cx).await;
    for pending in batch.pending() {
        let call = &pending.call;
        println!(
            "{} wants {} {}: {:?}",
            call.id, call.name, call.arguments, pending.reason
        );
    }

    // What a person says, by the call's index.
    let decisions = [
        (0, Decision::edit(json!({"order": 17, "cents": 900}))),
        (1, Decision::Reject("the order is not paid yet".into())),
        (2, Decision::Approve),
    ];
    let batch = batch.resume(&executor, decisions, &cx).await?;
    for result in batch.results() {
        println!("{}: {}", result.id, result.content(Encoder::auto()));
    }
    Ok(())
}
// ANCHOR_END: program

#[test]
fn it_prints_what_the_page_shows() {
    crate::output::shown("people.txt", &crate::output::of(|| main().unwrap()));
}
