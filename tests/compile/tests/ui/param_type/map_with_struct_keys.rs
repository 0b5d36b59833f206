use std::collections::HashMap;
use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema, PartialEq, Eq, Hash)]
struct Key {
    id: u32,
}

/// Counts.
#[tool]
fn count(of: HashMap<Key, u32>) -> usize {
    of.len()
}

fn main() {}
