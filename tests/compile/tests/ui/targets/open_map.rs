use std::collections::BTreeMap;

use toolwright::{tool, tools};

/// Labels something.
#[tool]
fn label(labels: BTreeMap<String, serde_json::Value>) -> usize {
    labels.len()
}

fn main() {
    tools! { targets: [azure_strict]; label };
}
