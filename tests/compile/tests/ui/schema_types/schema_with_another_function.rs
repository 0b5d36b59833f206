use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Server {
    #[schema(schema_with = port)]
    port: u16,
}

fn port() -> String {
    "{}".to_owned()
}

fn main() {}
