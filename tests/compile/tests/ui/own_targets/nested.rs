use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Customer {
    address: Address,
}

#[derive(Deserialize, Schema)]
struct Address {
    #[schema(pattern = r"^\p{L}+$")]
    town: String,
}

/// Ships.
#[tool(targets(openai_strict))]
fn ship(to: Option<Vec<Customer>>, urgent: bool) -> bool {
    urgent || to.is_some_and(|to| to.iter().any(|one| one.address.town.is_empty()))
}

fn main() {}
