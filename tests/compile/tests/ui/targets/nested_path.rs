use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Order {
    lines: Vec<Line>,
}

#[derive(Deserialize, Schema)]
struct Line {
    extras: Option<serde_json::Value>,
}

/// Places an order.
#[tool]
fn order(order: Order) -> bool {
    order.lines.iter().any(|line| line.extras.is_some())
}

fn main() {
    tools! { targets: [deepseek_strict]; order };
}
