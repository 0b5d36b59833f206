use toolwright::tool;

/// Orders something.
#[tool(was("place_order", "place_order"))]
fn create_order() {}

fn main() {}
