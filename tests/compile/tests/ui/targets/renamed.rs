use toolwright::{tool, tools};

/// Stores a record.
#[tool]
fn store(#[arg(pattern = r"^\p{L}+$")] record: String) -> bool {
    record.is_empty()
}

fn main() {
    tools! { targets: [xai, groq]; store as "store_record" };
}
