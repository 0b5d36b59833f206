use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schemars(extend("x-unit" = "kg"))]
    value: u8,
}

fn main() {}
