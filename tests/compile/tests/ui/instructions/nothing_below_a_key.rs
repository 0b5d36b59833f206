use serde::Deserialize;
use toolwright::{Instructions, Schema, instructions, tool};

#[derive(Deserialize, Schema)]
#[serde(tag = "kind", rename_all_fields = "camelCase")]
enum Way {
    Train { stop_name: String },
    Car { seats: u8 },
}

/// Plans a way.
#[tool]
fn plan(way: Way) -> String {
    match way {
        Way::Train { stop_name } => stop_name,
        Way::Car { seats } => seats.to_string(),
    }
}

const KNOWN: Instructions = instructions!("{plan.way.stopName}, {plan.way.seats}, {plan.way.kind}");
const BELOW: Instructions = instructions!("{plan.way.seats.number}");

fn main() {
    println!("{KNOWN}{BELOW}");
}
