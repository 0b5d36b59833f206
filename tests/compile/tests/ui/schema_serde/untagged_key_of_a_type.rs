use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct ByName {
    name: String,
}

#[derive(Deserialize, Schema)]
struct ByNameAndCity {
    name: String,
    city: String,
}

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Search {
    Name(ByName),
    NameAndCity(Box<ByNameAndCity>),
}

#[tool]
/// Takes one.
fn take(one: Search) {
    drop(one);
}

fn main() {}
