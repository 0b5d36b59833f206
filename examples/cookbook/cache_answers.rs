// How do I cache answers?

use std::time::Duration;

use toolwright::layers::Cache;
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Look up the price of an article.
#[tool(read_only)]
async fn price(article: &str) -> u32 {
    println!("looking up {article}");
    if article == "tea" { 4 } else { 9 }
}

/// Change the price of an article.
// Not `read_only`: the conversation's cached answers are dropped after it.
#[tool]
async fn set_price(article: &str, price: u32) -> String {
    format!("{article} is {price} now")
}

#[tokio::main]
async fn main() {
    let tools = tools![price, set_price];
    let cache = Cache::new(1_000).ttl(Duration::from_mins(1));
    let executor = Executor::serial(&tools).layer(cache);

    let tea = || ToolCall::new("call_1", "price", r#"{"article": "tea"}"#);
    let set = ToolCall::new("call_2", "set_price", r#"{"article": "tea", "price": 5}"#);
    // Answers are kept for each conversation, which the context names.
    let cx = Context::new().with_session("session_1");
    for call in [tea(), tea(), set, tea()] {
        let batch = executor.run(&[call], &cx).await;
        for result in batch.results() {
            println!("{}: {}", result.name, result.content(Encoder::auto()));
        }
    }
}
