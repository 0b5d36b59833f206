//! `llm-tool`: `ToolRegistry::dispatch_str`, which reads the arguments' text without a `Value` between.

use std::sync::Arc;

use llm_tool::{
    BatchExecutionMode, BatchToolCallStr, Json, ToolContext, ToolRegistry, llm_tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright_benches_measure::{
    Group, ID, Parallel, REST, calls, compute, definitions, now, open_ai, receipt, start_up,
};

toolwright_benches_measure::types! {
    arguments: [Deserialize, JsonSchema],
    answers: [Serialize, JsonSchema],
    both: [Deserialize, Serialize, JsonSchema]
}

/// Adds two numbers.
#[llm_tool]
fn add(
    /// First
    a: i64,
    /// Second
    b: i64,
) -> i64 {
    a.wrapping_add(b)
}

/// Current weather of a city.
#[llm_tool]
fn get_weather(
    /// City name
    city: String,
    /// Celsius if nothing is said
    unit: Option<Unit>,
) -> Json<Weather> {
    Json(weather(&city, unit))
}

/// Place an order.
#[llm_tool]
fn create_order(
    /// Who
    customer: Customer,
    /// What
    lines: Vec<Line>,
) -> Json<Receipt> {
    Json(receipt!(customer, lines))
}

/// Index a text.
#[llm_tool]
fn index_text(
    /// The text
    text: String,
) -> i64 {
    text.len() as i64
}

/// Sleeps for a millisecond.
#[llm_tool]
async fn rest() -> i64 {
    tokio::time::sleep(REST).await;
    7
}

/// Computes.
#[llm_tool]
fn work() -> i64 {
    compute() as i64
}

mod hundred {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/hundred.rs"));
}

fn set() -> ToolRegistry {
    let set = ToolRegistry::new();
    let set = set.with_tool(Add).with_tool(GetWeather).with_tool(CreateOrder);
    set.with_tool(IndexText).with_tool(Rest).with_tool(Work)
}

fn text(set: &ToolRegistry) -> String {
    let all = set.definitions_slice();
    open_ai(all.iter().map(|tool| (&*tool.name, &*tool.description, &tool.parameter_schema)))
}

/// All that is measured.
pub fn groups() -> Vec<Group> {
    let (registry, cx) = (set(), ToolContext::new());
    let mut groups = calls("llm-tool", move |tool, arguments| {
        match now(registry.dispatch_str(tool, arguments, &cx)) {
            Ok(output) => Ok(output.into_content()),
            Err(error) => Err(error.to_string()),
        }
    });
    groups.extend(definitions("llm-tool", hundred::set, |set| text(set).into()));
    groups.push(start_up("llm-tool", hundred::set));
    let registry = Arc::new(set());
    let parallel = Parallel::new("llm-tool", move |tool, count| {
        let registry = Arc::clone(&registry);
        async move {
            let call = BatchToolCallStr { id: ID, name: tool, arguments_json: "{}" };
            let (calls, cx) = (vec![call; count], ToolContext::new());
            let answers = registry.dispatch_batch_str(&calls, BatchExecutionMode::Parallel, &cx);
            answers.await.iter().filter(|answer| answer.result.is_ok()).count()
        }
    });
    groups.extend(parallel.groups());
    groups
}
