use toolwright::{Toolset, tool, tools};

#[tool(args = Add)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

pub fn all() -> Toolset {
    tools![add]
}

pub fn sum(add: &Add) -> i64 {
    add.a + add.b
}

fn main() {}
