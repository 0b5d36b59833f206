use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Who {
    Code(#[schema(pattern = "^[A-Z]{2}[0-9]{4}$")] String),
    Words(String),
}

fn main() {}
