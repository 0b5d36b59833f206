use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(format = "color")]
    value: String,
}

fn main() {}
