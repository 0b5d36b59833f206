use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = 5)]
    value: String,
}

fn main() {}
