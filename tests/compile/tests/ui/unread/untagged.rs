use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Query {
    Block(i128),
    Name(String),
}

/// Finds them.
#[tool]
fn find(queries: Vec<Query>) {
    let _ = queries;
}

fn main() {}
