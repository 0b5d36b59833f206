use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(multiple_of)]
    value: u8,
}

fn main() {}
