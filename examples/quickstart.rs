//! From functions to tools, and from a provider's response to what goes back.
//!
//! `cargo run -p toolwright --example quickstart` answers two sample responses, of two providers;
//! with `-- FILE` behind it your own. Among the samples' calls are some that go wrong: every one of
//! them gets an answer that the model can act on.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};
use toolwright::{Context, Encoder, Schema, Toolset, Wire, tool, tools};

/// Unit of the temperature
#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Serialize, Schema)]
struct Weather {
    temperature: f64,
    unit: Unit,
    sky: &'static str,
}

/// Current weather of a city.
#[tool(read_only)]
fn weather(
    /// City name
    city: &str,
    #[arg(default = Unit::Celsius)] unit: Unit,
) -> Weather {
    let celsius = f64::from(u32::try_from(city.len()).unwrap_or(0));
    let temperature = match unit {
        Unit::Celsius => celsius,
        Unit::Fahrenheit => celsius * 1.8 + 32.0,
    };
    Weather {
        temperature,
        unit,
        sky: "clear",
    }
}

/// Who pays
#[derive(Deserialize, Schema)]
struct Customer<'a> {
    /// Full name, as on the invoice
    name: &'a str,
    /// Two-letter country code
    country: Option<&'a str>,
}

#[derive(Deserialize, Schema)]
struct Line {
    /// What `stock` lists
    sku: String,
    quantity: u32,
}

#[derive(Deserialize, Serialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    /// Three to five days
    Normal,
    /// The next day, for a fee
    Express,
}

/// The application's own state, which no model sees.
struct Shop {
    orders: AtomicU32,
}

#[derive(Serialize, Schema)]
struct Receipt {
    number: u32,
    items: Vec<String>,
    bill_to: String,
    speed: Speed,
}

#[derive(Debug)]
struct EmptyOrder;

impl fmt::Display for EmptyOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an order needs at least one line")
    }
}

/// Place an order.
///
/// Use it only after the customer has confirmed the basket.
///
/// # Arguments
/// - `lines`: what to ship
/// - `note`: words for the parcel, if any
#[tool(destructive)]
async fn create_order(
    customer: Customer<'_>,
    lines: &[Line],
    note: Option<&str>,
    #[arg(default = Speed::Normal)] speed: Speed,
    #[state] shop: &Shop,
) -> Result<Receipt, EmptyOrder> {
    if lines.is_empty() {
        return Err(EmptyOrder);
    }
    let bill_to = match (customer.country, note) {
        (Some(country), _) => format!("{}, {country}", customer.name),
        (None, Some(note)) => format!("{} ({note})", customer.name),
        (None, None) => customer.name.to_owned(),
    };
    Ok(Receipt {
        number: shop.orders.fetch_add(1, Ordering::Relaxed) + 1,
        items: lines
            .iter()
            .map(|line| format!("{} x {}", line.quantity, line.sku))
            .collect(),
        bill_to,
        speed,
    })
}

/// Articles that are in stock.
#[tool(read_only)]
fn stock() -> Vec<&'static str> {
    vec!["tea", "cup", "clock"]
}

/// Runs the calls of a response and prints what they come to.
fn answer(tools: &Toolset, response: &str) -> Result<(), Box<dyn Error>> {
    let wire =
        Wire::detect(response).ok_or("this is not a response of a provider that is known here")?;
    println!("== {wire:?}\n");
    println!("tools of the request:\n{}\n", wire.definitions(tools));
    let cx = Context::new();
    let mut results = Vec::new();
    for call in wire.calls(response)? {
        let result = tools.call_blocking(&call, &cx);
        println!("{}({})", call.name, call.arguments);
        for line in result.content(Encoder::auto()).lines() {
            println!("  {} {line}", if result.is_success() { "->" } else { "!!" });
        }
        results.push(result);
    }
    println!(
        "\nmessages of the next request:\n{}\n",
        wire.turn(response, &results, Encoder::auto())?
    );
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let shop = Shop {
        orders: AtomicU32::new(1000),
    };
    let tools = tools![weather, create_order, stock; state = shop];

    match std::env::args().nth(1) {
        Some(file) => {
            let response =
                std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
            answer(&tools, &response)
        }
        None => {
            answer(&tools, include_str!("data/openai.json"))?;
            answer(&tools, include_str!("data/anthropic.json"))
        }
    }
}
