use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Shop {
    name: String,
    #[serde(flatten)]
    next: Option<Box<Shop>>,
}

fn main() {}
