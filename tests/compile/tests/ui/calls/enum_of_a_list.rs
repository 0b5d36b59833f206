use toolwright::{tool, tools};

/// Add two numbers.
#[tool(args = Add)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

tools! { pub enum Call; add }

fn main() {}
