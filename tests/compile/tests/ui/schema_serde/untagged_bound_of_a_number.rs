use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Amount {
    Percent(#[schema(range(0..=100))] u32),
    Cents(#[schema(range(1000..))] u64),
}

#[tool]
/// Takes one.
fn take(one: Amount) {
    drop(one);
}

fn main() {}
