use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Page {
    #[serde(default)]
    #[schema(range(1..=50))]
    most: u8,
}

fn main() {}
