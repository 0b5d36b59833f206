//! `rig-core`: a handler of its bus (`ErasedHandler`, `serve_inline`), and the tool alone (`ErasedTool::execute`).
//!
//! It switches on `float_roundtrip`, `preserve_order` and `raw_value` of `serde_json` for the whole program: its HAND is
//! another than that of the rest.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::join_all;
use rig_core::effect::{EffectKind, Outcome};
use rig_core::rig_tool;
use rig_core::serve::{ErasedHandler, adapters::ToolAdapter, serve_inline};
use rig_core::tool::{DynamicTool, ErasedTool, ToolContext, ToolExecutionError, ToolOutput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright_benches_measure::{
    Group, NOTHING, Parallel, calls, compute, definitions, dispatch, now, open_ai, receipt, start_up,
};

toolwright_benches_measure::types! {
    arguments: [Deserialize, Serialize, JsonSchema],
    answers: [Serialize],
    both: [Deserialize, Serialize, JsonSchema]
}

/// Adds two numbers.
#[rig_tool]
fn add(
    /// First
    a: i64,
    /// Second
    b: i64,
) -> Result<i64, ToolExecutionError> {
    Ok(a.wrapping_add(b))
}

/// Current weather of a city.
#[rig_tool]
fn get_weather(
    /// City name
    city: String,
    /// Celsius if nothing is said
    unit: Option<Unit>,
) -> Result<Weather, ToolExecutionError> {
    Ok(weather(&city, unit))
}

/// Place an order.
#[rig_tool]
fn create_order(
    /// Who
    customer: Customer,
    /// What
    lines: Vec<Line>,
) -> Result<Receipt, ToolExecutionError> {
    Ok(receipt!(customer, lines))
}

/// Index a text.
#[rig_tool]
fn index_text(
    /// The text
    text: String,
) -> Result<usize, ToolExecutionError> {
    Ok(text.len())
}

/// Sleeps for a millisecond.
#[rig_tool]
async fn rest() -> Result<i64, ToolExecutionError> {
    tokio::time::sleep(toolwright_benches_measure::REST).await;
    Ok(7)
}

/// Computes.
#[rig_tool]
fn work() -> Result<u64, ToolExecutionError> {
    Ok(compute())
}

type Handlers = HashMap<&'static str, ErasedHandler>;

mod hundred {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/hundred.rs"));
}

fn set() -> Handlers {
    Handlers::from([
        ("add", ErasedHandler::new(ToolAdapter::new(Add))),
        ("get_weather", ErasedHandler::new(ToolAdapter::new(GetWeather))),
        ("create_order", ErasedHandler::new(ToolAdapter::new(CreateOrder))),
        ("index_text", ErasedHandler::new(ToolAdapter::new(IndexText))),
        ("rest", ErasedHandler::new(ToolAdapter::new(Rest))),
        ("work", ErasedHandler::new(ToolAdapter::new(Work))),
    ])
}

fn text(set: &[Box<dyn ErasedTool>]) -> String {
    let all: Vec<_> = set.iter().map(|tool| (tool.name(), tool.description(), tool.parameters())).collect();
    open_ai(all.iter().map(|(name, description, parameters)| (&**name, description.trim(), parameters)))
}

fn kind(tool: &str, arguments: &str) -> EffectKind {
    EffectKind::ToolCall { name: tool.to_owned(), args: arguments.to_owned() }
}

fn served(handlers: &Handlers, tool: &str, arguments: &str) -> Result<String, String> {
    let Some(handler) = handlers.get(tool) else { return Err("no such tool".to_owned()) };
    match now(serve_inline(handler, kind(tool, arguments))) {
        Ok(Outcome::ToolResult { result }) if result.is_success() => Ok(result.output().render()),
        Ok(Outcome::ToolResult { result }) => Err(result.output().render()),
        other => Err(format!("{other:?}")),
    }
}

/// All that is measured.
pub fn groups() -> Vec<Group> {
    let handlers = set();
    let mut groups = calls("rig", move |tool, arguments| served(&handlers, tool, arguments));
    let tools: HashMap<&str, Box<dyn ErasedTool>> = HashMap::from([
        ("add", Box::new(Add) as Box<dyn ErasedTool>),
        ("get_weather", Box::new(GetWeather)),
        ("create_order", Box::new(CreateOrder)),
        ("index_text", Box::new(IndexText)),
    ]);
    let alone = calls("rig-tool-alone", move |tool, arguments| {
        let Some(tool) = tools.get(tool) else { return Err("no such tool".to_owned()) };
        let result = now(tool.execute(arguments.to_owned(), &mut ToolContext::new()));
        let text = result.output().render();
        if result.is_success() { Ok(text) } else { Err(text) }
    });
    for (group, mut alone) in groups.iter_mut().zip(alone) {
        group.0.extend(alone.0.pop());
    }
    groups.extend(definitions("rig", hundred::set, |set| text(set).into()));
    groups.push(start_up("rig", hundred::set));
    groups.extend(dispatch(
        "rig",
        |names| -> Handlers {
            let parameters = serde_json::json!({"type": "object", "properties": {}});
            let all = names.iter().map(|name| {
                let tool = DynamicTool::new((*name).try_into().expect("a name"), "Answers.", parameters.clone(), |_| {
                    Box::pin(async { Ok(ToolOutput::text("7")) })
                });
                (*name, tool.handler().clone())
            });
            all.collect()
        },
        |set, name| {
            let set = Rc::clone(set);
            Box::new(move |answer| answer(&served(&set, name, NOTHING).unwrap_or_default()))
        },
    ));
    let handlers = Arc::new(set());
    let parallel = Parallel::new("rig", move |tool, count| {
        let handlers = Arc::clone(&handlers);
        async move {
            let calls = (0..count).filter_map(|_| Some(serve_inline(handlers.get(tool)?, kind(tool, NOTHING))));
            join_all(calls).await.into_iter().filter(Result::is_ok).count()
        }
    });
    groups.extend(parallel.groups());
    groups
}
