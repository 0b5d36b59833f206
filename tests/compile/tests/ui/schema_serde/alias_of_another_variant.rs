use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
enum Speed {
    #[serde(alias = "Fast")]
    Slow(u8),
    Fast(u8),
}

fn main() {}
