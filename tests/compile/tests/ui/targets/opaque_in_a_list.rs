use toolwright::{tool, tools};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Theirs {
    id: u8,
}

/// Takes what schemars alone knows.
#[tool]
fn take(by_name: std::collections::BTreeMap<String, Vec<Theirs>>) -> Option<u8> {
    Some(by_name.values().flatten().next()?.id)
}

fn main() {
    tools! { targets: [mcp_2025_06_18]; take };
}
