use toolwright::tool;

/// Cancels an order.
#[tool(scopes())]
fn cancel_order(id: u32) -> u32 {
    id
}

fn main() {}
