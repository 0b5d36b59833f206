use toolwright::{tool, tools};

/// Add two numbers.
#[tool(args = Add)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

mod other {
    /// Add two numbers.
    #[toolwright::tool(args = Add, name = "add_them")]
    pub fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

tools! { pub enum Call; add, other::add }

fn main() {}
