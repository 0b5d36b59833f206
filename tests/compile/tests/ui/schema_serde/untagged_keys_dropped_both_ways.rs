use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Either {
    First { a: Option<u8> },
    Second { b: Option<u8> },
}

#[tool]
/// Takes one.
fn take(one: Either) {
    drop(one);
}

fn main() {}
