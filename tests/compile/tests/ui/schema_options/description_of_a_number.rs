use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(description = 5)]
    value: u8,
}

fn main() {}
