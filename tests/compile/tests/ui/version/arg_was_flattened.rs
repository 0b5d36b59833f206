use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Order {
    quantity: u32,
}

/// Orders something.
#[tool]
fn create_order(#[arg(flatten, was = "qty")] order: Order) {
    let _ = order.quantity;
}

fn main() {}
