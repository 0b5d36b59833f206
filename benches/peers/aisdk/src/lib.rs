//! `aisdk`: `ToolList::execute`, which makes a task of each call.

use aisdk::core::tools::{Tool, ToolCallInfo, ToolExecute, ToolList};
use aisdk::macros::tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use toolwright_benches_measure::{
    Group, NOTHING, calls, definitions, dispatch, open_ai, receipt, start_up,
};
use tokio::runtime::{Builder, Runtime};

toolwright_benches_measure::types! {
    arguments: [Debug, Default, Deserialize, JsonSchema],
    answers: [Serialize],
    both: [Debug, Deserialize, Serialize, JsonSchema]
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

#[tool]
/// Adds two numbers.
fn add(a: i64, b: i64) -> Tool {
    json(&a.wrapping_add(b))
}

#[tool]
/// Current weather of a city.
fn get_weather(city: String, unit: Option<Unit>) -> Tool {
    json(&weather(&city, unit))
}

#[tool]
/// Place an order.
fn create_order(customer: Customer, lines: Vec<Line>) -> Tool {
    json(&receipt!(customer, lines))
}

#[tool]
/// Index a text.
fn index_text(text: String) -> Tool {
    json(&text.len())
}

#[allow(dead_code, unused_braces)]
mod hundred {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/hundred.rs"));
}

fn text(set: &ToolList) -> String {
    let all = set.tools.lock().expect("nobody panics");
    open_ai(all.iter().map(|tool| (&*tool.name, tool.description.trim(), &tool.input_schema)))
}

/// The cheapest of its runtimes: the task runs on the thread that waits for it.
fn single() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

fn call(set: &ToolList, runtime: &Runtime, tool: &str, arguments: &str) -> Result<String, String> {
    let mut call = ToolCallInfo::new(tool);
    call.input(serde_json::from_str(arguments).map_err(|error| error.to_string())?);
    let answer = runtime.block_on(async { set.execute(call).await.await });
    match answer {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(error)) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// All that is measured. Its tools are functions that return, run while the list is locked: none runs beside another, so
/// there are no rows of many calls at a time.
pub fn groups() -> Vec<Group> {
    let set = ToolList::new(vec![add(), get_weather(), create_order(), index_text()]);
    let runtime = single();
    let mut groups = calls("aisdk", move |tool, arguments| call(&set, &runtime, tool, arguments));
    groups.extend(definitions("aisdk", hundred::set, |set| text(set).into()));
    groups.push(start_up("aisdk", hundred::set));
    groups.extend(dispatch(
        "aisdk",
        |names| {
            let all = names.iter().map(|name| Tool {
                name: (*name).to_owned(),
                description: "Answers.".to_owned(),
                execute: ToolExecute::new(Box::new(|_| Ok("7".to_owned()))),
                ..Tool::default()
            });
            ToolList::new(all.collect())
        },
        |set, name| {
            let (set, runtime) = (Rc::clone(set), single());
            Box::new(move |answer| answer(&call(&set, &runtime, name, NOTHING).unwrap_or_default()))
        },
    ));
    groups
}
