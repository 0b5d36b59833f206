use toolwright::Schema;

#[derive(Schema)]
enum Order {
    #[serde(serialize_with = "text")]
    Text(u8),
}

fn main() {}
