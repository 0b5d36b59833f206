use toolwright::tool;

/// Stores a record.
#[tool(targets(gemini_json, openai_strict))]
fn store(#[arg(pattern = r"^\p{L}+$")] name: String, record: String) -> bool {
    record == name
}

fn main() {}
