use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(9..=1))]
    value: u8,
}

fn main() {}
