use toolwright::{tool, tools};

pub struct App;

/// Add two numbers.
#[tool(args = Add)]
fn add(a: i64, #[state] _app: &App) -> i64 {
    a
}

tools! { pub enum Call; add }

fn main() {}
