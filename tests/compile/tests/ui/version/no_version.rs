use toolwright::tool;

/// Orders something.
#[tool(version = "2.x")]
fn create_order(item: String) {
    let _ = item;
}

fn main() {}
