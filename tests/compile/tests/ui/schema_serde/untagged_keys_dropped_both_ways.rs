use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Either {
    First { a: Option<u8> },
    Second { b: Option<u8> },
}

fn main() {}
