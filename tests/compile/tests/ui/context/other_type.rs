use toolwright::tool;

/// Count the customers.
#[tool]
fn count(#[context] cx: &String) -> usize {
    cx.len()
}

fn main() {}
