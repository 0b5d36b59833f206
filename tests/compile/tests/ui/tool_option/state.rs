use toolwright::tool;

struct Db;

/// Add two numbers.
#[tool(state = Db)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
