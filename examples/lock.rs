//! What a change of a tool means to those who call it.
//!
//! `cargo run --example lock -- compare OLD.json NEW.json` compares two JSON Schemas of arguments.
//! `cargo run --example lock -- show` prints the lock of the tools below.
//!
//! The tools are held to `examples/data/tools.lock` when this compiles: make `days` a required argument, or
//! its range smaller, and see.

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

use serde::Serialize;
use serde_json::value::RawValue;
use toolwright::lock::{compare, texts};
use toolwright::schema::SchemaDoc;
use toolwright::{Schema, Toolset, tool, tools};

/// Weather of a day
#[derive(Serialize, Schema)]
struct Weather {
    /// In degrees Celsius
    high: f64,
    rain: bool,
}

/// Forecasts the weather of a city.
#[tool(read_only)]
fn forecast(
    /// City name
    city: &str,
    #[arg(range(1..=14), default = 3)] days: u8,
) -> Vec<Weather> {
    let day = |day| Weather {
        high: f64::from(day),
        rain: city.len().is_multiple_of(2),
    };
    (0..days).map(day).collect()
}

/// Cancels an order.
#[tool(destructive)]
fn cancel_order(#[arg(len(1..=40))] order: &str, reason: Option<&str>) -> String {
    format!("{order}: {}", reason.unwrap_or("cancelled"))
}

fn sample() -> Toolset {
    tools! { lock: "examples/data/tools.lock"; forecast, cancel_order }
}

#[derive(Serialize)]
struct Answer<'a> {
    verdict: &'a str,
    reasons: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Box<RawValue>>,
}

fn compared(old: &str, new: &str) -> Result<String, Box<dyn Error>> {
    let schema = |path: &str| -> Result<SchemaDoc, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        Ok(SchemaDoc::parse(&text).map_err(|error| format!("{path}: {error}"))?)
    };
    let comparison = compare(&schema(old)?, &schema(new)?);
    let answer = Answer {
        verdict: comparison.verdict.as_str(),
        reasons: &comparison.reasons,
        witness: comparison.witness.map(RawValue::from_string).transpose()?,
    };
    Ok(serde_json::to_string(&answer)?)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["compare", old, new] => compared(old, new).map(|answer| println!("{answer}")),
        ["show"] => {
            for (_, text) in texts(&sample()) {
                print!("{text}");
            }
            Ok(())
        }
        _ => Err("usage: lock compare OLD.json NEW.json, or lock show".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
