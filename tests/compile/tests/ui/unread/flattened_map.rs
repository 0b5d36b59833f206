use std::collections::BTreeMap;

use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Balances {
    #[serde(flatten)]
    of: BTreeMap<String, u128>,
}

/// Sets them.
#[tool]
fn set(balances: Balances) -> usize {
    balances.of.len()
}

fn main() {}
