use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(tag = "by")]
enum Query {
    Block { number: u128 },
}

/// Finds it.
#[tool]
fn find(query: Query) {
    let Query::Block { number } = query;
    let _ = number;
}

fn main() {}
