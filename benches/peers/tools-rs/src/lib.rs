//! `tools-rs`: `ToolCollection::call` with a `FunctionCall`, whose arguments are a `Value`.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use toolwright_benches_measure::{
    Group, NOTHING, Parallel, REST, calls, compute, definitions, dispatch, now, open_ai, receipt, start_up,
};
use tools_rs::{FunctionCall, ToolCollection, ToolSchema, collect_tools, tool};

toolwright_benches_measure::types! {
    arguments: [Deserialize, Serialize, ToolSchema],
    answers: [Serialize],
    both: [Deserialize, Serialize]
}

/// Its derive takes no enums.
impl ToolSchema for Unit {
    fn schema() -> serde_json::Value {
        serde_json::json!({"type": "string", "enum": ["celsius", "fahrenheit"]})
    }
}

#[tool]
/// Adds two numbers.
async fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

#[tool]
/// Current weather of a city.
async fn get_weather(city: String, unit: Option<Unit>) -> Weather {
    weather(&city, unit)
}

#[tool]
/// Place an order.
async fn create_order(customer: Customer, lines: Vec<Line>) -> Receipt {
    receipt!(customer, lines)
}

#[tool]
/// Index a text.
async fn index_text(text: String) -> usize {
    text.len()
}

#[tool]
/// Sleeps for a millisecond.
async fn rest() -> i64 {
    tokio::time::sleep(REST).await;
    7
}

#[tool]
/// Computes.
async fn work() -> u64 {
    compute()
}

#[allow(dead_code, unused_braces)]
mod hundred {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/hundred.rs"));
}

/// The hundred. What is collected is all that the program has: six more.
fn hundred() -> ToolCollection {
    let mut all = collect_tools();
    for other in ["add", "get_weather", "create_order", "index_text", "rest", "work"] {
        let _ = all.unregister(other);
    }
    all
}

fn text(set: &ToolCollection) -> String {
    let all = set.json().unwrap_or_default();
    let empty = Vec::new();
    let word = |tool: &'_ serde_json::Value, key: &str| tool[key].as_str().unwrap_or_default().to_owned();
    let all: Vec<_> = all.as_array().unwrap_or(&empty).iter().map(|tool| {
        (word(tool, "name"), word(tool, "description"), &tool["parameters"])
    }).collect();
    open_ai(all.iter().map(|(name, description, parameters)| (&**name, &**description, parameters)))
}

fn call(set: &ToolCollection, tool: &str, arguments: &str) -> Result<String, String> {
    let arguments = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    let call = FunctionCall { id: None, name: tool.to_owned(), arguments };
    match now(set.call(call)) {
        Ok(response) => Ok(response.result.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// All that is measured.
pub fn groups() -> Vec<Group> {
    let set = collect_tools();
    let mut groups = calls("tools-rs", move |tool, arguments| call(&set, tool, arguments));
    groups.extend(definitions("tools-rs", hundred, |set| text(set).into()));
    groups.push(start_up("tools-rs", hundred));
    groups.extend(dispatch(
        "tools-rs",
        |names| {
            let mut set = ToolCollection::new();
            for name in names {
                let added = set.register(name, "Answers.", |(): ()| async { 7_i64 }, ());
                assert!(added.is_ok());
            }
            set
        },
        |set, name| {
            let set = Rc::clone(set);
            // A tool without arguments is one of `()` here, which is read from `null`.
            assert_eq!(NOTHING, "{}");
            Box::new(move |answer| answer(&call(&set, name, "null").unwrap_or_default()))
        },
    ));
    let set = Arc::new(collect_tools());
    let parallel = Parallel::new("tools-rs", move |tool, count| {
        let set = Arc::clone(&set);
        async move {
            let calls = (0..count).map(|_| {
                let arguments = serde_json::Value::Object(serde_json::Map::new());
                set.call(FunctionCall { id: None, name: tool.to_owned(), arguments })
            });
            join_all(calls).await.into_iter().filter(Result::is_ok).count()
        }
    });
    groups.extend(parallel.groups());
    groups
}
