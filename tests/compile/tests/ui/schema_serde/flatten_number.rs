use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Shop {
    #[serde(flatten)]
    place: u8,
}

fn main() {}
