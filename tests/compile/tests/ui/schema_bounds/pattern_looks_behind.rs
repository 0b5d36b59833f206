use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"(?<!a)b$")]
    value: String,
}

fn main() {}
