use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(rename_all = "camelCase")]
struct Order {
    #[serde(alias = "placedAt")]
    day: u8,
    placed_at: u8,
}

fn main() {}
