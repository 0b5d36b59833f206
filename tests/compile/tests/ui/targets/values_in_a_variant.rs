use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
enum Change {
    Clear,
    Set { key: String, value: serde_json::Value },
}

/// Changes a setting.
#[tool]
fn change(change: Change) -> bool {
    match change {
        Change::Clear => true,
        Change::Set { key, value } => value == key,
    }
}

fn main() {
    tools! { targets: [openai_strict]; change };
}
