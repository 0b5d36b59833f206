use toolwright::{tool, tools};

/// Add two numbers.
#[tool(args = Add)]
fn add(a: i64, #[state] b: &i64) -> i64 {
    a + b
}

tools! { pub enum Call; add; state = 3 }

fn main() {}
