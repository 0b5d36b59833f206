use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Order {
    #[serde(alias = "when")]
    day: u8,
    #[serde(alias = "when")]
    hour: u8,
}

fn main() {}
