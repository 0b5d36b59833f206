use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(deprecated = "since 2")]
    value: u8,
}

fn main() {}
