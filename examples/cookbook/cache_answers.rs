// How do I cache answers?

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use toolwright::layers::Cache;
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Look up the price of tea.
#[tool(read_only)]
async fn price(#[state] tea: &AtomicU32) -> u32 {
    println!("looking it up");
    tea.load(Ordering::Relaxed)
}

/// Change the price of tea.
// Not `read_only`: the conversation's cached answers are dropped after it.
#[tool]
async fn set_price(price: u32, #[state] tea: &AtomicU32) {
    tea.store(price, Ordering::Relaxed);
}

#[tokio::main]
async fn main() {
    let tools = tools![price, set_price; state = AtomicU32::new(4)];
    let cache = Cache::new(1_000).ttl(Duration::from_mins(1));
    let executor = Executor::serial(&tools).layer(cache);

    let price = || ToolCall::new("call_1", "price", "{}");
    let set = ToolCall::new("call_2", "set_price", r#"{"price": 5}"#);
    // Answers are kept for each conversation, which the context names.
    let cx = Context::new().with_session("session_1");
    for call in [price(), price(), set, price()] {
        let batch = executor.run(&[call], &cx).await;
        for result in batch.results() {
            println!("{}: {}", result.name, result.content(Encoder::auto()));
        }
    }
}

// Prints:
// looking it up
// price: 4
// price: 4
// set_price: done
// looking it up
// price: 5
