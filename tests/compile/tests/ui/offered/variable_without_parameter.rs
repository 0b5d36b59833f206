use toolwright::resource;

/// An order.
#[resource("orders://{order}")]
fn order(order_id: u64) -> String {
    order_id.to_string()
}

fn main() {}
