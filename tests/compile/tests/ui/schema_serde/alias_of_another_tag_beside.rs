use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(tag = "speed", content = "of")]
enum Speed {
    #[serde(alias = "Fast")]
    Slow(u8),
    Fast(u8),
}

fn main() {}
