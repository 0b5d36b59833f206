//! The tools that are called.

// A tool that owns its arguments is what some of the rows are about.
#![allow(clippy::needless_pass_by_value)]

use serde::{Deserialize, Serialize};
use toolwright::{Schema, Toolset, tool, tools};

/// Adds two numbers.
#[tool]
pub(crate) fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

/// Adds two numbers, later.
#[tool]
async fn add_later(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

/// Unit of the temperature
#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Serialize, Schema)]
pub(crate) struct Weather {
    temperature: f64,
    unit: Unit,
    sky: &'static str,
}

pub(crate) fn weather(city: &str, unit: Option<Unit>) -> Weather {
    Weather {
        temperature: if city.len() > 4 { 21.5 } else { -2.5 },
        unit: unit.unwrap_or(Unit::Celsius),
        sky: "clear",
    }
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
pub(crate) struct Customer {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) country: Option<String>,
}

#[derive(Deserialize, Schema)]
pub(crate) struct Line {
    pub(crate) sku: String,
    pub(crate) title: String,
    pub(crate) qty: u32,
    pub(crate) price: f64,
    pub(crate) note: Option<String>,
}

#[derive(Deserialize, Schema)]
pub(crate) struct LentCustomer<'a> {
    pub(crate) name: &'a str,
    pub(crate) email: &'a str,
    pub(crate) country: Option<&'a str>,
}

#[derive(Deserialize, Schema)]
pub(crate) struct LentLine<'a> {
    pub(crate) sku: &'a str,
    pub(crate) title: &'a str,
    pub(crate) qty: u32,
    pub(crate) price: f64,
    pub(crate) note: Option<&'a str>,
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

#[derive(Serialize, Schema)]
pub(crate) struct Receipt {
    pub(crate) to: usize,
    pub(crate) items: u32,
    pub(crate) letters: usize,
    pub(crate) total: f64,
}

/// A receipt that has looked at every value. `to` counts the letters of a customer.
macro_rules! receipt {
    ($customer:expr, $lines:expr) => {{
        let (customer, lines) = (&$customer, &$lines);
        Receipt {
            to: customer.name.len()
                + customer.email.len()
                + customer.country.as_ref().map_or(0, |country| country.len()),
            items: lines.iter().map(|line| line.qty).sum(),
            letters: lines
                .iter()
                .map(|line| {
                    line.sku.len()
                        + line.title.len()
                        + line.note.as_ref().map_or(0, |note| note.len())
                })
                .sum(),
            total: lines
                .iter()
                .map(|line| f64::from(line.qty) * line.price)
                .sum(),
        }
    }};
}
pub(crate) use receipt;

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
pub(crate) enum Key {
    Id(u64),
    Name(String),
    Both { id: u64, name: String },
}

#[derive(Deserialize, Schema)]
#[serde(untagged)]
pub(crate) enum LentKey<'a> {
    Id(u64),
    Name(&'a str),
    Both { id: u64, name: &'a str },
}

/// How to pay
#[derive(Deserialize, Schema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Payment {
    Card { number: String, check: u16 },
    Transfer { account: String },
}

#[derive(Deserialize, Schema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum LentPayment<'a> {
    Card { number: &'a str, check: u16 },
    Transfer { account: &'a str },
}

macro_rules! size_of_key {
    ($ty:ident, $key:expr) => {
        match $key {
            $ty::Id(id) => id,
            $ty::Name(name) => name.len() as u64,
            $ty::Both { id, name } => id + name.len() as u64,
        }
    };
}
pub(crate) use size_of_key;

macro_rules! size_of_payment {
    ($ty:ident, $payment:expr) => {
        match $payment {
            $ty::Card { number, check } => number.len() + usize::from(check),
            $ty::Transfer { account } => account.len(),
        }
    };
}
pub(crate) use size_of_payment;

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
