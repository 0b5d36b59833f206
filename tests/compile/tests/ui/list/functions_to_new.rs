use toolwright::{Toolset, tool};

/// Adds.
#[tool]
fn add(a: u32, b: u32) -> u32 {
    a + b
}

fn main() {
    let tools = Toolset::new([add]);
}
