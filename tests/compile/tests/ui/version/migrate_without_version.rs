use toolwright::tool;

fn from_v1(_: &str, arguments: serde_json::Value) -> Result<serde_json::Value, String> {
    Ok(arguments)
}

/// Orders something.
#[tool(migrate = from_v1)]
fn create_order(item: String) {
    let _ = item;
}

fn main() {}
