use toolwright::{tool, tools};

/// Tells the time.
#[tool]
fn now() -> u64 {
    12
}

/// Finds customers.
#[tool]
fn find(name: &str) -> String {
    name.to_owned()
}

/// Closes an order.
#[tool]
fn close(order: u32) -> u32 {
    order
}

fn main() {
    tools! { defer: { crm: [find] files: [close] }; now };
}
