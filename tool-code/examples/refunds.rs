//! How does a model run one program over tools, with a call that waits for a person?

use serde::Serialize;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::call::Decision;
use toolwright::executor::PendingReason;
use toolwright::{Context, Executor, Schema, ToolCall, Toolset, tool, tools};
use toolwright_code::{CodeMode, stubs};

#[derive(Serialize, Schema)]
struct Order {
    id: u32,
    /// Amount in cents
    total: u32,
    late: bool,
}

/// Finds the orders of a customer.
///
/// - `customer`: name of the customer
#[tool(read_only)]
fn find_orders(customer: &str) -> Vec<Order> {
    let count = u32::try_from(customer.len()).unwrap_or(0);
    let order = |id| Order {
        id,
        total: id * 1000,
        late: id % 2 == 1,
    };
    (1..=count).map(order).collect()
}

/// Refunds an order.
#[tool(destructive)]
fn refund(order: u32, cents: u32) -> String {
    format!("refunded {cents} of order {order}")
}

/// What a model would write.
const PROGRAM: &str = "\
import asyncio
found = await asyncio.gather(find_orders('Ada'), find_orders('Grace'))
late = [order for orders in found for order in orders if order['late']]
worst = max(late, key=lambda order: order['total'])
await refund(worst['id'], worst['total'] // 2)";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The interpreter is this program, started again.
    toolwright_code::worker();

    let tools = tools![find_orders, refund];
    print!("{}", stubs(&tools));

    let run_code = CodeMode::new(&tools).build()?;
    let arguments = serde_json::json!({ "code": PROGRAM }).to_string();
    // In place of a provider's model.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "call_1", "run_code", arguments,
        )])),
        Ok(ModelResponse::text("Grace has half of her money back.")),
    ]);
    let agent = Agent::with_executor(model, Executor::serial(Toolset::new([run_code])?));

    let (mut session, cx) = (
        Session::ask("Who waited longest? Pay half of it back."),
        Context::new(),
    );
    let run = agent.run(&mut session, &cx).await?;
    println!("{}", run.end.as_str());
    for waiting in agent.waiting(&session, &cx) {
        // The call of `run_code` waits for that inside of it.
        if waiting.reason == PendingReason::Agent {
            continue;
        }
        println!(
            "{:?} {} {}",
            waiting.path,
            waiting.tool,
            waiting.arguments.as_deref().unwrap_or_default()
        );
        session.decide(&waiting, Decision::Approve)?;
    }
    let run = agent.run(&mut session, &cx).await?;
    println!("{}", run.text().unwrap_or_default());
    Ok(())
}
