use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(len(1..))]
    value: Option<u8>,
}

fn main() {}
