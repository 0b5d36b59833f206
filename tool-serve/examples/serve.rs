//! One toolset, a whole program.
//!
//! ```text
//! cargo run -p toolwright-serve --features serve --example serve -- list
//! cargo run … -- call forecast --location Oslo --unit celsius
//! cargo run … -- serve                # http://127.0.0.1:8080: a page to try them
//! ```
//!
//! `order` is destructive, so that a person is asked before it runs.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwright::{Context, Outcome, Schema, call::Progress, tool, tools};

#[derive(Deserialize, Serialize, Schema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Serialize, Schema)]
struct Forecast {
    location: String,
    days: Vec<f64>,
    unit: Unit,
}

/// Weather forecast of a city.
#[tool(
    read_only,
    example({"location": "Oslo", "unit": "fahrenheit", "days": 2}, "two days in Fahrenheit"),
    example({"location": "Rome"})
)]
fn forecast(
    /// City name
    #[arg(len(1..=80), example = "Oslo")]
    location: String,
    #[arg(default = Unit::Celsius)] unit: Unit,
    /// How many days, counted from today
    #[arg(default = 3, range(1..=10))]
    days: u8,
) -> Forecast {
    let warmest = match unit {
        Unit::Celsius => 21.5,
        Unit::Fahrenheit => 70.7,
    };
    Forecast {
        days: (0..days).map(|day| warmest - f64::from(day)).collect(),
        location,
        unit,
    }
}

/// Who pays
#[derive(Deserialize, Serialize, Schema)]
struct Customer {
    #[schema(len(1..=60))]
    name: String,
    /// Two letters
    #[schema(pattern = "^[A-Z]{2}$")]
    country: String,
}

#[derive(Deserialize, Serialize, Schema)]
struct Line {
    #[schema(len(1..=20))]
    sku: String,
    #[schema(range(1..=99))]
    quantity: u32,
}

/// How it gets there
#[derive(Deserialize, Serialize, Schema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Delivery {
    /// By post
    Post { express: bool },
    /// Somebody fetches it
    Pickup { shop: String },
}

#[derive(Serialize, Schema)]
struct Receipt {
    customer: Customer,
    lines: Vec<Line>,
    pieces: u32,
    delivery: Option<Delivery>,
    labels: BTreeMap<String, String>,
}

/// Places an order.
#[tool(destructive)]
fn order(
    customer: Customer,
    /// What to ship
    #[arg(len(1..=10))]
    lines: Vec<Line>,
    delivery: Option<Delivery>,
    /// Words of the customer's own
    #[arg(default)]
    labels: BTreeMap<String, String>,
) -> Receipt {
    Receipt {
        pieces: lines.iter().map(|line| line.quantity).sum(),
        customer,
        lines,
        delivery,
        labels,
    }
}

/// Counts slowly, and tells how far it is.
#[tool(read_only, timeout = "1m")]
async fn count(
    /// How far
    #[arg(range(1..=1000))]
    to: u32,
    /// Milliseconds between two numbers
    #[arg(default = 200, range(..=1000))]
    pause: u16,
    cx: &Context,
) -> u32 {
    for number in 1..=to {
        tokio::time::sleep(Duration::from_millis(pause.into())).await;
        let progress = Progress::new(number.into()).with_total(to.into());
        cx.progress(progress.with_message(format!("that was {number}")));
    }
    to
}

/// Says who somebody is, if the password is right.
#[tool]
fn login(user: &str, #[arg(secret, len(4..))] password: &str) -> Result<String, &'static str> {
    match (user, password) {
        ("ada", "countess") => Ok("Augusta Ada King".to_owned()),
        _ => Err("user or password is wrong"),
    }
}

/// Asks where to go, if nobody says.
#[tool(read_only)]
fn travel(to: Option<String>) -> Outcome {
    match to {
        Some(to) => Outcome::value(format!("on the way to {to}")),
        None => Outcome::ask("Where to?").option("choices", ["Oslo", "Rome"]),
    }
}

fn main() -> ExitCode {
    toolwright::serve::main(tools![forecast, order, count, login, travel])
}
