use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(1..))]
    value: String,
}

fn main() {}
