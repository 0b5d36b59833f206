//! How do I run one program in place of many calls?

use toolwright::{Context, Encoder, Executor, ToolCall, Toolset, tool, tools};
use toolwright_code::CodeMode;

/// Tells the price of an item in cents.
#[tool(read_only)]
fn price(item: &str) -> usize {
    item.len() * 100
}

/// What a model would write.
const PROGRAM: &str = "\
import asyncio
prices = await asyncio.gather(*[price(item) for item in ['pen', 'ink', 'paper']])
{'total': sum(prices), 'most': max(prices)}";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The interpreter is this program, started again.
    toolwright_code::worker();
    let run_code = CodeMode::new(&tools![price]).build()?;
    let executor = Executor::serial(Toolset::new([run_code])?);

    let arguments = serde_json::json!({ "code": PROGRAM }).to_string();
    let call = ToolCall::new("call_1", "run_code", arguments);
    let batch = executor.run(&[call], &Context::new()).await;
    for result in batch.results() {
        println!("{}: {}", result.id, result.content(Encoder::auto()));
    }
    Ok(())
}

// Prints:
// call_1: {"value":{"total":1100,"most":500}}
