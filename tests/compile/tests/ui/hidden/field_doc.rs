use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Customer {
    /// Full name‏
    name: String,
}

fn main() {
    let _ = |customer: Customer| customer.name;
}
