use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Amount {
    Percent(#[schema(range(0..=100))] u32),
    Cents(#[schema(range(1000..))] u64),
}

fn main() {}
