use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schemars(regex(pattern = "[a-z"))]
    value: String,
}

fn main() {}
