use toolwright::Schema;

#[derive(Schema)]
#[schema(format = "email")]
struct Address(String);

#[derive(Schema)]
struct Order {
    #[schema(format = "uri")]
    to: Address,
}

fn main() {}
