use toolwright::{tool, tools};

/// Orders something.
#[tool(was("place_order"))]
fn create_order() {}

/// Places an order.
#[tool]
fn place_order() {}

fn main() {
    tools![place_order, create_order as "buy"];
}
