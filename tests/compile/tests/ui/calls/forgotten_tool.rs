use toolwright::{tool, tools};

/// Add two numbers.
#[tool(args = Add)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Delete a file.
#[tool(args = Delete)]
fn delete(path: String) -> usize {
    path.len()
}

tools! { pub enum Call; add, delete }

pub fn is_allowed(call: &Call<'_>) -> bool {
    match call {
        Call::Add(_) => true,
        Call::Other(_) => false,
    }
}

fn main() {}
