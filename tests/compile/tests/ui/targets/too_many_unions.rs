use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
enum Place {
    Home,
    At { street: String },
}

/// Brings something.
#[tool]
fn bring(from: Place, to: Place, by: Vec<Option<u8>>) -> bool {
    matches!((from, to), (Place::At { street: a }, Place::At { street: b }) if a == b) || by.is_empty()
}

fn main() {
    tools! {
        targets: [anthropic_strict];
        bring as "a", bring as "b", bring as "c", bring as "d", bring as "e", bring as "f",
    };
}
