use serde::Deserialize;
use serde_json::Value;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
enum Known {
    Mail { to: String },
    #[serde(untagged)]
    Other(Value),
}

#[tool]
/// Takes one.
fn take(one: Known) {
    drop(one);
}

fn main() {}
