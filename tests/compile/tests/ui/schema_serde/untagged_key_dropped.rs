use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Span {
    From { from: String },
    Between { from: String, to: String },
}

#[tool]
/// Takes one.
fn take(one: Span) {
    drop(one);
}

fn main() {}
