use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Block {
    number: Option<u128>,
}

#[derive(Deserialize, Schema)]
#[allow(dead_code)]
struct Query {
    chain: String,
    #[serde(flatten)]
    block: Block,
}

/// Finds it.
#[tool]
fn find(#[arg(flatten)] query: Query) -> bool {
    query.block.number.is_some()
}

fn main() {}
