use toolwright::{tool, tools};

/// Tells the time.
#[tool]
fn now() -> u64 {
    12
}

/// Takes anything.
#[tool]
fn any(value: serde_json::Value) -> serde_json::Value {
    value
}

fn main() {
    tools! { targets: [openai_strict], defer: { any: [any] }; now };
}
