use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"^(a|b)\1$")]
    value: String,
}

fn main() {}
