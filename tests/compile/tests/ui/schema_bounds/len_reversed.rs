use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(len(9..=1))]
    value: String,
}

fn main() {}
