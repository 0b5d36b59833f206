use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
enum Place {
    Numbered(u8),
}

fn main() {}
