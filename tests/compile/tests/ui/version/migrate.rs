use toolwright::tool;

/// Orders something.
#[tool(version = "2.0", migrate = from_v1)]
fn create_order(item: String) {
    let _ = item;
}

fn main() {}
