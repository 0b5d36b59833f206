use std::sync::Arc;
use toolwright::{Context, ToolCall, tool};

pub struct App;

/// Count the customers.
#[tool(args = Count)]
fn count(#[state] _app: &App) -> u32 {
    3
}

fn main() {
    let (call, cx) = (ToolCall::new("1", "count", "{}"), Context::new());
    let args = Count::read(&call, &cx).unwrap();
    let _ = args.run(&Arc::new("no app"), &cx);
}
