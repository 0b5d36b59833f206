use toolwright::{Schema, tool, tools};

#[derive(serde::Deserialize, Schema)]
struct Server {
    #[schema(schema_with = port)]
    port: u16,
}

fn port() -> serde_json::Value {
    serde_json::json!({"type": "integer"})
}

/// Starts a server.
#[tool]
fn start(server: Server) -> u16 {
    server.port
}

fn main() {
    tools! { targets: [openai_strict]; start };
}
