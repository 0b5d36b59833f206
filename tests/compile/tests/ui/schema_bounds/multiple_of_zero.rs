use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(multiple_of = 0)]
    value: u8,
}

fn main() {}
