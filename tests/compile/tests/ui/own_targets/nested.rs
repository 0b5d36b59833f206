use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Customer {
    address: Address,
}

#[derive(Deserialize, Schema)]
struct Address {
    extra: Vec<serde_json::Value>,
}

/// Ships.
#[tool(targets(anthropic_strict))]
fn ship(to: Option<Vec<Customer>>, urgent: bool) -> bool {
    urgent || to.is_some_and(|to| to.iter().any(|one| one.address.extra.is_empty()))
}

fn main() {}
