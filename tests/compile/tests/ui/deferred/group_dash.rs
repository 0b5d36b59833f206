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

fn main() {
    tools! { defer: { my-crm: [find] }; now };
}
