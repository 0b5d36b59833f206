//! What people write without us: a struct for each tool's arguments, and a match on its name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

crate::types! { arguments: [Deserialize], answers: [Serialize], both: [Deserialize, Serialize] }
use crate::{receipt, size_of_key, size_of_payment};

/// An answer's text, or what is wrong.
pub type Answer = serde_json::Result<String>;

#[derive(Deserialize)]
pub struct LentCustomer<'a> {
    pub name: &'a str,
    pub email: &'a str,
    pub country: Option<&'a str>,
}

#[derive(Deserialize)]
pub struct LentLine<'a> {
    pub sku: &'a str,
    pub title: &'a str,
    pub qty: u32,
    pub price: f64,
    pub note: Option<&'a str>,
}

/// A number, a name, or some of both
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Key {
    Id(u64),
    Name(String),
    Both { id: u64, name: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum LentKey<'a> {
    Id(u64),
    Name(&'a str),
    Both { id: u64, name: &'a str },
}

/// How to pay
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Payment {
    Card { number: String, check: u16 },
    Transfer { account: String },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LentPayment<'a> {
    Card { number: &'a str, check: u16 },
    Transfer { account: &'a str },
}

#[derive(Deserialize)]
pub struct Add {
    pub a: i64,
    pub b: i64,
}

#[derive(Deserialize)]
pub struct GetWeather {
    pub city: String,
    pub unit: Option<Unit>,
}

#[derive(Deserialize)]
pub struct LentGetWeather<'a> {
    pub city: &'a str,
    pub unit: Option<Unit>,
}

#[derive(Deserialize)]
pub struct Order {
    pub customer: Customer,
    pub lines: Vec<Line>,
}

#[derive(Deserialize)]
pub struct LentOrder<'a> {
    #[serde(borrow)]
    pub customer: LentCustomer<'a>,
    #[serde(borrow)]
    pub lines: Vec<LentLine<'a>>,
}

#[derive(Deserialize)]
pub struct Index {
    pub text: String,
}

/// `serde_json` lends no text in which an escape stands.
#[derive(Deserialize)]
pub struct LentIndex<'a> {
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

#[derive(Deserialize)]
pub struct Find {
    pub key: Key,
}

#[derive(Deserialize)]
pub struct LentFind<'a> {
    #[serde(borrow)]
    pub key: LentKey<'a>,
}

#[derive(Deserialize)]
pub struct Pay {
    pub payment: Payment,
}

#[derive(Deserialize)]
pub struct LentPay<'a> {
    #[serde(borrow)]
    pub payment: LentPayment<'a>,
}

/// Answers a call with arguments that are borrowed where they can be.
pub fn call(name: &str, arguments: &str) -> Answer {
    match name {
        "add" => {
            let Add { a, b } = serde_json::from_str(arguments)?;
            serde_json::to_string(&a.wrapping_add(b))
        }
        "get_weather" => {
            let LentGetWeather { city, unit } = serde_json::from_str(arguments)?;
            serde_json::to_string(&weather(city, unit))
        }
        "create_order" => {
            let LentOrder { customer, lines } = serde_json::from_str(arguments)?;
            serde_json::to_string(&receipt!(customer, lines))
        }
        "index_text" => {
            let LentIndex { text } = serde_json::from_str(arguments)?;
            serde_json::to_string(&text.len())
        }
        "find" => {
            let LentFind { key } = serde_json::from_str(arguments)?;
            serde_json::to_string(&size_of_key!(LentKey, key))
        }
        "pay" => {
            let LentPay { payment } = serde_json::from_str(arguments)?;
            serde_json::to_string(&size_of_payment!(LentPayment, payment))
        }
        _ => Ok(String::new()),
    }
}

/// Answers a call with arguments of its own.
pub fn call_owned(name: &str, arguments: &str) -> Answer {
    match name {
        "add" => {
            let Add { a, b } = serde_json::from_str(arguments)?;
            serde_json::to_string(&a.wrapping_add(b))
        }
        "get_weather" => {
            let GetWeather { city, unit } = serde_json::from_str(arguments)?;
            serde_json::to_string(&weather(&city, unit))
        }
        "create_order" => {
            let Order { customer, lines } = serde_json::from_str(arguments)?;
            serde_json::to_string(&receipt!(customer, lines))
        }
        "index_text" => {
            let Index { text } = serde_json::from_str(arguments)?;
            serde_json::to_string(&text.len())
        }
        "find" => {
            let Find { key } = serde_json::from_str(arguments)?;
            serde_json::to_string(&size_of_key!(Key, key))
        }
        "pay" => {
            let Pay { payment } = serde_json::from_str(arguments)?;
            serde_json::to_string(&size_of_payment!(Payment, payment))
        }
        _ => Ok(String::new()),
    }
}
