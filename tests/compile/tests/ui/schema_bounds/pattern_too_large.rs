use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"^(\w{1,500} ){1,500}$")]
    value: String,
}

fn main() {}
