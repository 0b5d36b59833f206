use toolwright::tool;

#[tool(desc = "Add two numbers")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
