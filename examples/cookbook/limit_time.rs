// How do I limit how long a tool may take?

use std::time::Duration;

use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Read a page of the wiki.
#[tool(timeout = "2s")]
async fn read_page(title: &str) -> String {
    tokio::time::sleep(Duration::from_mins(1)).await;
    format!("{title} is a page")
}

/// Tell the time.
#[tool]
async fn time() -> &'static str {
    "noon"
}

#[tokio::main]
async fn main() {
    let tools = tools![read_page, time];
    // Every call: 30 s by default. `#[tool(timeout)]` of a tool goes first.
    let executor = Executor::parallel(&tools, 8).timeout(Duration::from_secs(10));
    let calls = [
        ToolCall::new("call_1", "read_page", r#"{"title": "Tea"}"#),
        ToolCall::new("call_2", "time", "{}"),
    ];
    let batch = executor.run(&calls, &Context::new()).await;
    for result in batch.results() {
        println!("{}", result.content(Encoder::auto()));
    }
}

// Prints:
// the tool did not answer within its time limit of 2s (`timeout` of the tool or the executor changes it)
// its work may go on, and it is not known whether it took effect
// noon
