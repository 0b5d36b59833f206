use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
enum Speed {
    Fast,
    #[serde(alias = "Fast")]
    Slow,
}

fn main() {}
