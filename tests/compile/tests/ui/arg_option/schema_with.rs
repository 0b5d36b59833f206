use serde_json::{Value, json};
use toolwright::tool;

fn port() -> Value {
    json!({"type": "integer"})
}

/// Listens.
#[tool]
fn listen(#[arg(schema_with = port)] port: u16) -> u16 {
    port
}

fn main() {}
