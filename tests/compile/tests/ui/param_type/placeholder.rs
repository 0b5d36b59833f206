use toolwright::{tool, tools};

/// Adds.
#[tool]
fn add(a: i64, b: _) -> i64 {
    a + b
}

fn main() {
    let _ = tools![add];
}
