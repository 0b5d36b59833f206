use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Order {
    lines: Vec<Line>,
}

#[derive(Deserialize, Schema)]
struct Line {
    #[schema(pattern = r"^\p{Lu}{3}$")]
    code: Option<String>,
}

/// Places an order.
#[tool]
fn order(order: Order) -> bool {
    order.lines.iter().any(|line| line.code.is_some())
}

fn main() {
    tools! { targets: [openai_strict]; order };
}
