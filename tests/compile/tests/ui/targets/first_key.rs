use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Place {
    Street { name: String, number: u32 },
    City { name: String },
}

/// Finds a place.
#[tool]
fn find(place: Place) -> bool {
    matches!(place, Place::City { .. } | Place::Street { .. })
}

fn main() {
    tools! { targets: [openai_strict]; find };
}
