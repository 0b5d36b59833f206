use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(1..))]
    value: Vec<u8>,
}

fn main() {}
