use toolwright::{tool, tools};

/// Adds.
#[tool]
fn add(a: u32, b: u32) -> u32 {
    a + b
}

/// Subtracts.
#[tool]
fn sub(a: u32, b: u32) -> u32 {
    a - b
}

fn main() {
    tools![add; sub];
}
