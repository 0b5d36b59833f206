use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = "^(a|b")]
    value: String,
}

fn main() {}
