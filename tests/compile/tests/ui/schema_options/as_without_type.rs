use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(as)]
    value: u8,
}

fn main() {}
