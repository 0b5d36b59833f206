use toolwright::Schema;

/// ؜A customer
#[derive(serde::Deserialize, Schema)]
struct Customer {
    name: String,
}

fn main() {
    let _ = |customer: Customer| customer.name;
}
