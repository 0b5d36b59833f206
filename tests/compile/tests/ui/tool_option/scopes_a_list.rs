use toolwright::tool;

/// Cancels an order.
#[tool(scopes = "orders:write")]
fn cancel_order(id: u32) -> u32 {
    id
}

fn main() {}
