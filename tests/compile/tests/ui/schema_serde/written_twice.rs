use serde::Serialize;
use toolwright::Schema;

#[derive(Serialize, Schema)]
struct Order {
    #[serde(rename(serialize = "hour"))]
    day: u8,
    hour: u8,
}

fn main() {}
