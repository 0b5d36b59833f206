use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
enum Speed {
    Slow {
        day: u8,
        #[serde(alias = "day")]
        hour: u8,
    },
}

fn main() {}
