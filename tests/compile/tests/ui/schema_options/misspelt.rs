use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(patern = "^a$")]
    value: String,
}

fn main() {}
