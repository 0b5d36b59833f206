use std::collections::HashMap;

use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Place {
    name: String,
}

#[derive(Deserialize, Schema)]
struct Shop {
    #[serde(flatten)]
    counts: HashMap<String, u8>,
    #[serde(flatten)]
    place: Place,
}

fn main() {}
