use toolwright::tool;

/// Orders something.
#[tool(was("place order"))]
fn create_order() {}

fn main() {}
