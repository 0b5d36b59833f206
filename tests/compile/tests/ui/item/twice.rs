use toolwright::tool;

/// Count the customers.
#[tool]
#[tool]
fn count() -> u32 {
    3
}

fn main() {}
