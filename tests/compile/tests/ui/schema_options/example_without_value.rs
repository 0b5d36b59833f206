use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(example)]
    value: u8,
}

fn main() {}
