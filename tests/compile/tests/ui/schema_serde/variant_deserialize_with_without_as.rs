use toolwright::Schema;

#[derive(Schema)]
enum Order {
    #[serde(deserialize_with = "text")]
    Text(u8),
}

fn main() {}
