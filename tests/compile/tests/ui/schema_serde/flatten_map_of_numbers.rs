use std::collections::HashMap;

use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Shop {
    #[serde(flatten)]
    places: HashMap<u8, String>,
}

fn main() {}
