use toolwright::Schema;

#[derive(Schema)]
#[serde(remote = "Elsewhere")]
struct Order {
    value: u8,
}

fn main() {}
