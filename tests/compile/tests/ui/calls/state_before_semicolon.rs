use toolwright::{tool, tools};

/// Add two numbers.
#[tool(args = Add)]
fn add(a: i64, #[state] b: &i64) -> i64 {
    a + b
}

tools! { pub enum Call; add, state: i64 }

fn main() {}
