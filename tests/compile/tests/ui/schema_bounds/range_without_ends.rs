use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range)]
    value: u8,
}

fn main() {}
