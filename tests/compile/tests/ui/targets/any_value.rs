use toolwright::{tool, tools};

/// Stores a record.
#[tool]
fn store(record: serde_json::Value) {
    let _ = record;
}

fn main() {
    tools! { targets: [gemini_json, openai_strict]; store };
}
