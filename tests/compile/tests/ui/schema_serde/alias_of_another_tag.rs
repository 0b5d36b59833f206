use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(tag = "speed", rename_all = "kebab-case")]
enum Speed {
    #[serde(alias = "very-fast")]
    Slow { day: u8 },
    VeryFast { hour: u8 },
}

fn main() {}
