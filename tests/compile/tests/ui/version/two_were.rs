use toolwright::{tool, tools};

/// Orders something.
#[tool(was("place_order"))]
fn create_order() {}

/// Changes an order.
#[tool(was("place_order"))]
fn change_order() {}

fn main() {
    tools![create_order, change_order];
}
