use toolwright::resource;

/// An order.
#[resource("orders://{id}")]
fn order(id: u64, page: u32) -> String {
    format!("{id} {page}")
}

fn main() {}
