use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(len(-1..))]
    value: String,
}

fn main() {}
