use toolwright::resource;

/// An order.
#[resource("orders://{id}/{id}")]
fn order(id: u64) -> String {
    id.to_string()
}

fn main() {}
