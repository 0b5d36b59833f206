use serde_json::{Value, json};
use toolwright::Schema;

fn port() -> Value {
    json!({"type": "integer"})
}

#[derive(Schema)]
struct Listen {
    #[schema(schema_with = port, range(1..))]
    port: u16,
}

fn main() {}
