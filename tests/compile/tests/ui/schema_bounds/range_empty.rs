use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(1..1))]
    value: u8,
}

fn main() {}
