use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schemars(regex(pattern = "^[a-z--b]+$"))]
    value: String,
}

fn main() {}
