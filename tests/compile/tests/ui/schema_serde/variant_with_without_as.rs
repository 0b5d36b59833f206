use toolwright::Schema;

#[derive(Schema)]
enum Order {
    #[serde(with = "text")]
    Text(u8),
}

fn main() {}
