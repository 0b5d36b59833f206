use toolwright::tool;

/// Stores a record.
#[tool(targets(gemini_json, openai_strict))]
fn store(name: String, record: serde_json::Value) -> bool {
    record == name
}

fn main() {}
