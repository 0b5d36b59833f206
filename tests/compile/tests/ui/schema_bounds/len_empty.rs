use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(len(..0))]
    value: String,
}

fn main() {}
