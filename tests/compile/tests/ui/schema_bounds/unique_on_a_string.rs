use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(unique)]
    value: String,
}

fn main() {}
