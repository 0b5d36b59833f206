use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
enum In {
    In,
}

#[derive(Deserialize, Schema)]
enum Out {
    Out,
}

#[derive(Deserialize, Schema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Order {
    In { kind: In, amount: u128 },
    Out { kind: Out, amount: u128 },
}

/// Books it.
#[tool]
fn book(order: Order) {
    let _ = order;
}

fn main() {}
