//! What breaks nobody: a new name that says the old one, a new optional argument, more values, an element that is off.
#![allow(dead_code)]

use serde::{Deserialize, Serialize};
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Piece,
    Box,
    Crate,
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
#[tool(read_only, was("prepare"))]
fn make_ready(
    #[arg(was = "customer")] client: &str,
    #[arg(range(1..=20))] count: u32,
    #[arg(pattern = "^[a-z]+$")] code: &str,
    express: Option<bool>,
    tags: Vec<String>,
    unit: Option<Unit>,
    place: Place,
) -> Receipt {
    let _ = (client, express, code, tags, unit, place.street, place.city);
    Receipt {
        id: 1,
        total: f64::from(count),
        note: None,
    }
}

/// Lists what was ordered.
#[tool]
fn orders() -> Vec<String> {
    Vec::new()
}

#[test]
fn runs() {
    let tools = tools! { lock: "tests/locks/orders.lock"; make_ready, #[cfg(any())] orders };
    let changes = toolwright::lock::changes(&tools);
    assert!(
        changes.iter().all(|change| !change.verdict.breaks()),
        "{changes:?}"
    );
    assert_eq!(changes.len(), 1);
    // An entry of an element that is off stays.
    let texts = toolwright::lock::texts(&tools);
    assert!(
        texts
            .iter()
            .all(|(_, text)| text.contains("\"orders\"") && !text.contains("\"prepare\""))
    );
}
