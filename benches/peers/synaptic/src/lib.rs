//! `synaptic`: `SerialToolExecutor::execute` with a `Value`, as its agents do.

use std::rc::Rc;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use synaptic::core::{SynapticError, Tool};
use synaptic::macros::tool;
use synaptic::tools::{ParallelToolExecutor, SerialToolExecutor, ToolRegistry};
use toolwright_benches_measure::{
    Group, NOTHING, Parallel, REST, calls, compute, definitions, dispatch, now, open_ai, receipt, start_up,
};

toolwright_benches_measure::types! {
    arguments: [Deserialize, Serialize, JsonSchema],
    answers: [Serialize, JsonSchema],
    both: [Deserialize, Serialize, JsonSchema]
}

/// By another name, since its macro cannot say the schema of a `Vec` of a struct.
type Lines = Vec<Line>;

/// Adds two numbers.
#[tool]
async fn add(
    /// First
    a: i64,
    /// Second
    b: i64,
) -> Result<i64, SynapticError> {
    Ok(a.wrapping_add(b))
}

/// Current weather of a city.
#[tool]
async fn get_weather(
    /// City name
    city: String,
    /// Celsius if nothing is said
    unit: Option<Unit>,
) -> Result<Weather, SynapticError> {
    Ok(weather(&city, unit))
}

/// Place an order.
#[tool]
async fn create_order(
    /// Who
    customer: Customer,
    /// What
    lines: Lines,
) -> Result<Receipt, SynapticError> {
    Ok(receipt!(customer, lines))
}

/// Index a text.
#[tool]
async fn index_text(
    /// The text
    text: String,
) -> Result<usize, SynapticError> {
    Ok(text.len())
}

/// Sleeps for a millisecond.
#[tool]
async fn rest() -> Result<i64, SynapticError> {
    tokio::time::sleep(REST).await;
    Ok(7)
}

/// Computes.
#[tool]
async fn work() -> Result<u64, SynapticError> {
    Ok(compute())
}

mod hundred {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/hundred.rs"));
}

fn register(tools: &[Arc<dyn Tool>]) -> ToolRegistry {
    let registry = ToolRegistry::new();
    for tool in tools {
        assert!(registry.register(Arc::clone(tool)).is_ok());
    }
    registry
}

/// The hundred. Its registry keeps no list, so the list is kept beside it.
fn listed() -> (ToolRegistry, Vec<Arc<dyn Tool>>) {
    let all = hundred::set();
    (register(&all), all)
}

fn set() -> ToolRegistry {
    register(&[add(), get_weather(), create_order(), index_text(), rest(), work()])
}

fn text(tools: &[Arc<dyn Tool>]) -> String {
    let all: Vec<_> = tools.iter().map(|tool| tool.as_tool_definition()).collect();
    open_ai(all.iter().map(|tool| (&*tool.name, &*tool.description, &tool.parameters)))
}

/// One of many.
struct Seven(&'static str);

#[async_trait::async_trait]
impl Tool for Seven {
    fn name(&self) -> &'static str {
        self.0
    }

    fn description(&self) -> &'static str {
        "Answers."
    }

    async fn call(&self, _: Value) -> Result<Value, SynapticError> {
        Ok(7.into())
    }
}

fn call(executor: &SerialToolExecutor, tool: &str, arguments: &str) -> Result<String, String> {
    let arguments = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    match now(executor.execute(tool, arguments)) {
        Ok(value) => Ok(value.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// All that is measured.
pub fn groups() -> Vec<Group> {
    let executor = SerialToolExecutor::new(set());
    let mut groups = calls("synaptic", move |tool, arguments| call(&executor, tool, arguments));
    groups.extend(definitions("synaptic", listed, |(_, tools)| text(tools).into()));
    groups.push(start_up("synaptic", listed));
    groups.extend(dispatch(
        "synaptic",
        |names| {
            let registry = ToolRegistry::new();
            for name in names {
                assert!(registry.register(Arc::new(Seven(name))).is_ok());
            }
            SerialToolExecutor::new(registry)
        },
        |executor, name| {
            let executor = Rc::clone(executor);
            Box::new(move |answer| answer(&call(&executor, name, NOTHING).unwrap_or_default()))
        },
    ));
    let executor = Arc::new(ParallelToolExecutor::new(set()));
    let parallel = Parallel::new("synaptic", move |tool, count| {
        let executor = Arc::clone(&executor);
        async move {
            let nothing = || Value::Object(serde_json::Map::new());
            let calls = (0..count).map(|_| (tool.to_owned(), nothing())).collect();
            executor.execute_all(calls).await.into_iter().filter(Result::is_ok).count()
        }
    });
    groups.extend(parallel.groups());
    groups
}
