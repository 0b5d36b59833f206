use toolwright::{tool, tools};

/// Puts a value in its place.
#[tool]
fn put(pairs: Vec<(String, serde_json::Value)>) -> usize {
    pairs.len()
}

fn main() {
    tools! { targets: [anthropic_strict]; put };
}
