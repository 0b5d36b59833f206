use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(len(5))]
    value: String,
}

fn main() {}
