use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(MIN..))]
    value: u8,
}

fn main() {}
