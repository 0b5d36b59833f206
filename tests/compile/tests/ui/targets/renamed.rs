use toolwright::{tool, tools};

/// Stores a record.
#[tool]
fn store(record: serde_json::Value) -> bool {
    record.is_null()
}

fn main() {
    tools! { targets: [xai, groq]; store as "store_record" };
}
