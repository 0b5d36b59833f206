use toolwright::Schema;

#[derive(Schema)]
struct Server {
    #[schema(as = u16, schema_with = port)]
    port: u16,
}

fn port() -> serde_json::Value {
    serde_json::json!({"type": "integer"})
}

fn main() {}
