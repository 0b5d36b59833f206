use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Span {
    From { from: String },
    Between { from: String, to: String },
}

fn main() {}
