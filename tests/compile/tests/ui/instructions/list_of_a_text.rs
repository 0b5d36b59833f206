use toolwright::{tool, tools};

/// Adds.
#[tool]
fn add(a: i32) -> i32 {
    a
}

const SYSTEM: &str = "Count with add.";

fn main() {
    tools! { instructions: [SYSTEM]; add };
}
