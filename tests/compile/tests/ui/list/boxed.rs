use toolwright::{tool, tools};

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    tools![Box::new(add)];
}
