use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[allow(dead_code)]
enum Query {
    Block { number: std::num::NonZeroU128 },
    #[serde(untagged)]
    Name(String),
}

/// Finds it.
#[tool]
fn find(query: Query) {
    let _ = query;
}

fn main() {}
