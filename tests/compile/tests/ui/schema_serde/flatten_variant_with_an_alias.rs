use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
enum Speed {
    #[serde(alias = "title")]
    Slow(u8),
}

#[derive(Deserialize, Schema)]
struct Shop {
    title: String,
    #[serde(flatten)]
    speed: Speed,
}

fn main() {}
