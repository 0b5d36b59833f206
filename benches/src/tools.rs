//! The tools that are called.

// A tool that owns its arguments is what some of the rows are about.
#![allow(clippy::needless_pass_by_value)]

use serde::{Deserialize, Serialize};
use toolwright::{Schema, Toolset, tool, tools};
use toolwright_benches_measure::{receipt, size_of_key, size_of_payment};

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

/// Adds two numbers, later.
#[tool]
async fn add_later(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

toolwright_benches_measure::types! {
    arguments: [Deserialize, Schema],
    answers: [Serialize, Schema],
    both: [Deserialize, Serialize, Schema]
}

/// Current weather of a city.
#[tool]
fn get_weather(
    /// City name
    city: String,
    /// Celsius if nothing is said
    unit: Option<Unit>,
) -> Weather {
    weather(&city, unit)
}

#[derive(Deserialize, Schema)]
struct LentCustomer<'a> {
    name: &'a str,
    email: &'a str,
    country: Option<&'a str>,
}

#[derive(Deserialize, Schema)]
struct LentLine<'a> {
    sku: &'a str,
    title: &'a str,
    qty: u32,
    price: f64,
    note: Option<&'a str>,
}

#[derive(Deserialize, Schema)]
struct BoundedLine {
    #[schema(len(1..=20))]
    sku: String,
    title: String,
    #[schema(range(1..=99))]
    qty: u32,
    #[schema(range(0.0..))]
    price: f64,
    note: Option<String>,
}

#[derive(Deserialize, Schema)]
struct BoundedLentLine<'a> {
    #[schema(len(1..=20))]
    sku: &'a str,
    title: &'a str,
    #[schema(range(1..=99))]
    qty: u32,
    #[schema(range(0.0..))]
    price: f64,
    note: Option<&'a str>,
}

/// Place an order.
#[tool]
fn order_owned(customer: Customer, lines: Vec<Line>) -> Receipt {
    receipt!(customer, lines)
}

/// Place an order.
#[tool]
fn order_owned_bounded(customer: Customer, #[arg(len(1..=50))] lines: Vec<BoundedLine>) -> Receipt {
    receipt!(customer, lines)
}

/// Place an order.
#[tool]
fn order_borrowed(customer: LentCustomer<'_>, lines: &[LentLine<'_>]) -> Receipt {
    receipt!(customer, lines)
}

/// Place an order.
#[tool]
fn order_borrowed_bounded(
    customer: LentCustomer<'_>,
    #[arg(len(1..=50))] lines: &[BoundedLentLine<'_>],
) -> Receipt {
    receipt!(customer, lines)
}

/// Index a text.
#[tool]
fn index_owned(text: String) -> usize {
    text.len()
}

/// Index a text.
#[tool]
fn index_borrowed(text: &str) -> usize {
    text.len()
}

/// A number, a name, or some of both
#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Key {
    Id(u64),
    Name(String),
    Both { id: u64, name: String },
}

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum LentKey<'a> {
    Id(u64),
    Name(&'a str),
    Both { id: u64, name: &'a str },
}

/// How to pay
#[derive(Deserialize, Schema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Payment {
    Card { number: String, check: u16 },
    Transfer { account: String },
}

#[derive(Deserialize, Schema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum LentPayment<'a> {
    Card { number: &'a str, check: u16 },
    Transfer { account: &'a str },
}

/// Find an entry.
#[tool]
fn find_owned(key: Key) -> u64 {
    size_of_key!(Key, key)
}

/// Find an entry.
#[tool]
fn find_borrowed(key: LentKey<'_>) -> u64 {
    size_of_key!(LentKey, key)
}

/// Pay.
#[tool]
fn pay_owned(payment: Payment) -> usize {
    size_of_payment!(Payment, payment)
}

/// Pay.
#[tool]
fn pay_borrowed(payment: LentPayment<'_>) -> usize {
    size_of_payment!(LentPayment, payment)
}

/// All of them.
pub(crate) fn all() -> Toolset {
    tools![
        add,
        add_later,
        get_weather,
        order_owned,
        order_owned_bounded,
        order_borrowed,
        order_borrowed_bounded,
        index_owned,
        index_borrowed,
        find_owned,
        find_borrowed,
        pay_owned,
        pay_borrowed
    ]
}
