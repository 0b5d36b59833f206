use toolwright::{tool, tools};

fn from_v1(arguments: serde_json::Value) -> serde_json::Value {
    arguments
}

/// Orders something.
#[tool(version = "2.0", migrate = from_v1)]
fn create_order(item: String) {
    let _ = item;
}

fn main() {
    tools![create_order];
}
