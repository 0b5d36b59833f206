use serde::{Deserialize, Serialize};
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Piece,
    Box,
}

#[derive(Deserialize, Schema)]
struct Place {
    street: String,
    city: Option<String>,
}

#[derive(Serialize, Schema)]
struct Receipt {
    id: u64,
    total: f64,
    note: Option<String>,
}

/// Prepares an order.
#[tool(read_onyl)]
fn prepare(
    customer: &str,
    #[arg(range(1..=10))] count: u32,
    #[arg(pattern = "^[a-z]+$")] code: &str,
    tags: Vec<String>,
    unit: Option<Unit>,
    place: Place,
) -> Receipt {
    let _ = (customer, code, tags, unit, place.street, place.city);
    Receipt { id: 1, total: f64::from(count), note: None }
}

/// Lists what was ordered.
#[tool]
fn orders() -> Vec<String> {
    Vec::new()
}

fn main() {
    tools! { lock: "locks/orders.lock"; prepare, orders };
}
