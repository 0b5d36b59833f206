//! `swiftide`: `Tool::invoke` with a `ToolCall`, of the tool that its agent would find: the one of that name in a set, by
//! going through the set.

use std::collections::HashSet;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use swiftide::chat_completion::errors::ToolError;
use swiftide::chat_completion::{Tool, ToolCall, ToolOutput, ToolSpec};
use swiftide::traits::AgentContext;
use swiftide_macros::tool;
use toolwright_benches_measure::{
    Group, ID, NOTHING, Parallel, REST, compute, definitions, dispatch, now, open_ai, ready_calls, receipt, start_up,
};

toolwright_benches_measure::types! {
    arguments: [Clone, Debug, Deserialize, Serialize, JsonSchema],
    answers: [Serialize],
    both: [Debug, Deserialize, Serialize, JsonSchema]
}

fn json(value: &impl Serialize) -> Result<ToolOutput, ToolError> {
    Ok(ToolOutput::text(serde_json::to_string(value)?))
}

#[tool(
    description = "Adds two numbers.",
    param(name = "a", description = "First"),
    param(name = "b", description = "Second")
)]
async fn add(_cx: &dyn AgentContext, a: i64, b: i64) -> Result<ToolOutput, ToolError> {
    json(&a.wrapping_add(b))
}

#[tool(
    description = "Current weather of a city.",
    param(name = "city", description = "City name"),
    param(name = "unit", description = "Celsius if nothing is said")
)]
async fn get_weather(
    _cx: &dyn AgentContext,
    city: &str,
    unit: Option<Unit>,
) -> Result<ToolOutput, ToolError> {
    json(&weather(city, unit))
}

#[tool(
    description = "Place an order.",
    param(name = "customer", description = "Who"),
    param(name = "lines", description = "What")
)]
async fn create_order(
    _cx: &dyn AgentContext,
    customer: Customer,
    lines: Vec<Line>,
) -> Result<ToolOutput, ToolError> {
    json(&receipt!(customer, lines))
}

#[tool(description = "Index a text.", param(name = "text", description = "The text"))]
async fn index_text(_cx: &dyn AgentContext, text: &str) -> Result<ToolOutput, ToolError> {
    json(&text.len())
}

#[tool(description = "Sleeps for a millisecond.")]
async fn rest(_cx: &dyn AgentContext) -> Result<ToolOutput, ToolError> {
    tokio::time::sleep(REST).await;
    json(&7)
}

#[tool(description = "Computes.")]
async fn work(_cx: &dyn AgentContext) -> Result<ToolOutput, ToolError> {
    json(&compute())
}

type Set = HashSet<Box<dyn Tool>>;

mod hundred {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/hundred.rs"));
}

fn set() -> Set {
    HashSet::from([add(), get_weather(), create_order(), index_text(), rest(), work()])
}

/// As its agent looks for a tool.
fn find<'a>(set: &'a Set, name: &str) -> Option<&'a Box<dyn Tool>> {
    set.iter().find(|tool| tool.name() == name)
}

fn text(set: &Set) -> String {
    let all: Vec<ToolSpec> = set.iter().map(|tool| tool.tool_spec()).collect();
    open_ai(all.iter().map(|tool| (&*tool.name, tool.description.trim(), &tool.parameters_schema)))
}

/// One of many.
#[derive(Clone)]
struct Seven(&'static str);

#[async_trait::async_trait]
impl Tool for Seven {
    async fn invoke(&self, _: &dyn AgentContext, _: &ToolCall) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("7"))
    }

    fn name(&self) -> Cow<'_, str> {
        self.0.into()
    }

    fn tool_spec(&self) -> ToolSpec {
        ToolSpec { name: self.0.to_owned(), description: "Answers.".to_owned(), parameters_schema: None }
    }
}

fn prepared(tool: &str, arguments: &str) -> ToolCall {
    let call = ToolCall::builder().id(ID).name(tool).args(arguments.to_owned()).build();
    call.expect("all is said")
}

fn answer(result: Result<ToolOutput, ToolError>) -> Result<String, String> {
    match result {
        Ok(ToolOutput::Text(text)) => Ok(text),
        Ok(other) => Err(other.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// All that is measured.
pub fn groups() -> Vec<Group> {
    let tools = Rc::new(set());
    let mut groups = ready_calls("swiftide", move |tool, arguments| {
        let (tools, call) = (Rc::clone(&tools), prepared(tool, arguments));
        move || {
            let Some(tool) = find(&tools, tool) else { return Err("no such tool".to_owned()) };
            answer(now(tool.invoke(&(), &call)))
        }
    });
    groups.extend(definitions("swiftide", hundred::set, |set| text(set).into()));
    groups.push(start_up("swiftide", hundred::set));
    groups.extend(dispatch(
        "swiftide",
        |names| -> Set { names.iter().map(|name| Seven(name).boxed()).collect() },
        |set, name| {
            let (set, call) = (Rc::clone(set), prepared(name, NOTHING));
            Box::new(move |told| {
                let tool = find(&set, name).expect("it is there");
                told(&answer(now(tool.invoke(&(), &call))).unwrap_or_default());
            })
        },
    ));
    let tools = Arc::new(set());
    // As its agent does: a task each.
    let list = Arc::clone(&tools);
    let parallel = Parallel::new("swiftide", move |tool, count| {
        let tools = Arc::clone(&list);
        async move {
            let calls: Vec<ToolCall> = (0..count).map(|_| prepared(tool, NOTHING)).collect();
            let tasks: Vec<_> = calls
                .iter()
                .filter_map(|call| {
                    let (tool, call) = (find(&tools, tool)?.clone(), call.clone());
                    Some(tokio::spawn(async move { tool.invoke(&(), &call).await }))
                })
                .collect();
            join_all(tasks).await.into_iter().filter(|answer| matches!(answer, Ok(Ok(_)))).count()
        }
    });
    let mut all = parallel.groups();
    let one_task = Parallel::new("swiftide-join-all", move |tool, count| {
        let tools = Arc::clone(&tools);
        async move {
            let calls: Vec<ToolCall> = (0..count).map(|_| prepared(tool, NOTHING)).collect();
            let answers = calls.iter().filter_map(|call| Some(find(&tools, tool)?.invoke(&(), call)));
            join_all(answers).await.into_iter().filter(Result::is_ok).count()
        }
    });
    for (group, rows) in all.iter_mut().zip(one_task.groups()) {
        group.0.extend(rows.0);
    }
    groups.extend(all);
    groups
}
