use toolwright::Schema;

#[derive(Schema)]
struct Server {
    #[schema(schema_with = "port")]
    port: u16,
}

fn main() {}
