use std::collections::BTreeMap;

use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(tag = "by")]
enum Query {
    Rooms { beds: BTreeMap<u32, u8> },
}

/// Finds it.
#[tool]
fn find(query: Query) -> usize {
    let Query::Rooms { beds } = query;
    beds.len()
}

fn main() {}
