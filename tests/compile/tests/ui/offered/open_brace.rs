use toolwright::resource;

/// An order.
#[resource("orders://{id")]
fn order(id: u64) -> String {
    id.to_string()
}

fn main() {}
