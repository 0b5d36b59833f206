use toolwright::{tool, tools};

/// Takes anything.
#[tool]
fn take_anything(record: serde_json::Value) -> bool {
    record.is_null()
}

fn main() {
    tools! { targets: [mcp_2025_11_25], unproven: [take_anythin]; take_anything };
}
