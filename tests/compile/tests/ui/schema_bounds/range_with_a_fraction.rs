use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(0.5..))]
    value: u8,
}

fn main() {}
