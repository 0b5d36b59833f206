// How do I keep a call apart from all others?

use toolwright::executor::Event;
use toolwright::{Context, Executor, ToolCall, tool, tools};

/// Read a table.
#[tool(read_only)]
async fn read_table(table: &str) -> String {
    tokio::task::yield_now().await; // the database
    format!("rows of {table}")
}

/// Change the columns of all tables.
// Waits for all calls before it, and all calls after it wait for it.
#[tool(exclusive)]
async fn migrate() {
    tokio::task::yield_now().await;
}

#[tokio::main]
async fn main() {
    let tools = tools![read_table, migrate];
    let executor = Executor::parallel(&tools, 8).on_event(|event| match event {
        Event::Started { call, .. } => println!("{} {} begins", call.id, call.name),
        Event::Finished { call, .. } => println!("{} {} ends", call.id, call.name),
        _ => {}
    });
    let calls = [
        ToolCall::new("1", "read_table", r#"{"table": "orders"}"#),
        ToolCall::new("2", "read_table", r#"{"table": "customers"}"#),
        ToolCall::new("3", "migrate", "{}"),
        ToolCall::new("4", "read_table", r#"{"table": "orders"}"#),
    ];
    executor.run(&calls, &Context::new()).await;
}

// Prints:
// 1 read_table begins
// 2 read_table begins
// 1 read_table ends
// 2 read_table ends
// 3 migrate begins
// 3 migrate ends
// 4 read_table begins
// 4 read_table ends
