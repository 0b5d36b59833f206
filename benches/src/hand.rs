//! What people write without us: a struct for each tool's arguments, and a match on its name.

use std::borrow::Cow;

use serde::Deserialize;

use crate::tools::{
    Customer, Key, LentCustomer, LentKey, LentLine, LentPayment, Line, Payment, Receipt, Unit, add,
    receipt, size_of_key, size_of_payment, weather,
};

type Answer = serde_json::Result<String>;

#[derive(Deserialize)]
pub(crate) struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
pub(crate) struct GetWeather {
    city: String,
    unit: Option<Unit>,
}

#[derive(Deserialize)]
pub(crate) struct LentGetWeather<'a> {
    city: &'a str,
    unit: Option<Unit>,
}

#[derive(Deserialize)]
pub(crate) struct Order {
    customer: Customer,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
pub(crate) struct LentOrder<'a> {
    #[serde(borrow)]
    customer: LentCustomer<'a>,
    #[serde(borrow)]
    lines: Vec<LentLine<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Index {
    text: String,
}

/// `serde_json` lends no text in which an escape stands.
#[derive(Deserialize)]
pub(crate) struct LentIndex<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(crate) struct Find {
    key: Key,
}

#[derive(Deserialize)]
pub(crate) struct LentFind<'a> {
    #[serde(borrow)]
    key: LentKey<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Pay {
    payment: Payment,
}

#[derive(Deserialize)]
pub(crate) struct LentPay<'a> {
    #[serde(borrow)]
    payment: LentPayment<'a>,
}

/// Answers a call with arguments that are borrowed where they can be.
pub(crate) fn call(name: &str, arguments: &str) -> Answer {
    match name {
        "add" => {
            let Add { a, b } = serde_json::from_str(arguments)?;
            serde_json::to_string(&add(a, b))
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
pub(crate) fn call_owned(name: &str, arguments: &str) -> Answer {
    match name {
        "add" => {
            let Add { a, b } = serde_json::from_str(arguments)?;
            serde_json::to_string(&add(a, b))
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
