use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Who {
    Code(#[schema(pattern = "^[A-Z]{2}[0-9]{4}$")] String),
    Words(String),
}

#[tool]
/// Takes one.
fn take(one: Who) {
    drop(one);
}

fn main() {}
