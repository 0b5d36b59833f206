use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Customer {
    #[serde(rename = "na⁣me")]
    name: String,
}

fn main() {
    let _ = |customer: Customer| customer.name;
}
