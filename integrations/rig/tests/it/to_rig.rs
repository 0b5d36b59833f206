use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use rig::agent::{AgentHook, HookContext, InvalidToolCallAction, InvalidToolCallContext};
use rig::prelude::*;
use rig::providers::openai::OpenAIConfig;
use rig::tool::{ContextValue, DynamicTool, ToolContext, ToolErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::call::Content;
use toolwright::executor::Event;
use toolwright::layers::Approval;
use toolwright::schema::SchemaDoc;
use toolwright::{Context, Dialect, DynTool, ToolDef, ToolError, Toolset, tool, tools};
use toolwright_rig::RigTools;

use crate::fake_provider::{Answer, FakeProvider, events, json};

/// Says how the weather will be.
#[tool]
fn weather(#[arg(range(1..=7))] days: u32, city: &str) -> String {
    format!("{days} days of sun in {city}")
}

/// Opens a door.
#[tool]
fn open(door: &str) -> Result<(), ToolError> {
    Err(ToolError::failed(format!("the {door} door is locked")))
}

/// Draws a chart.
#[tool]
fn chart(bars: &BTreeMap<String, u32>) -> Content {
    let words = format!("{bars:?}");
    Content::text(words).image("image/png", "iVBORw0KGgo=")
}

fn tools() -> Toolset {
    tools![weather, open, chart]
}

fn calling(calls: &[(&str, &str, &str)]) -> Value {
    let calls = calls.iter().map(|(id, name, arguments)| {
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
    });
    json!({"role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>()})
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn script(messages: &[Value]) -> Vec<Answer> {
    let responses = messages.iter().map(|message| {
        let reason = if message.get("tool_calls").is_some() {
            "tool_calls"
        } else {
            "stop"
        };
        json(&json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }))
    });
    responses.collect()
}

/// Answers a call of an unknown tool, where rig would end the run.
struct Answers;

impl AgentHook for Answers {
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        call: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let reason = format!("there is no tool {}", call.tool_name);
        Some(InvalidToolCallAction::Skip { reason })
    }
}

/// Agent of rig's with the tools.
fn agent(provider: &FakeProvider, tools: &RigTools, strict: bool) -> Agent {
    let openai = OpenAIConfig::new("key").with_base_url(provider.url());
    let mut model = openai.client().chat("gpt-4o");
    model.wire.strict_tools = strict;
    let agent = AgentBuilder::new(model).dynamic_tools(tools.tools());
    agent.add_hook(Answers).build()
}

/// Runs the agent, and returns its answer.
async fn run(provider: &FakeProvider, tools: &RigTools, strict: bool) -> String {
    let agent = agent(provider, tools, strict);
    let run = agent.prompt("Go.").max_turns(8).tool_concurrency(4);
    run.await.unwrap().output()
}

fn answered(id: &str, content: impl Into<Value>) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content.into()})
}

/// A message with calls as rig sends it back.
fn sent(calls: &Value) -> Value {
    json!({"role": "assistant", "tool_calls": calls["tool_calls"]})
}

fn declared(name: &str, description: &str, properties: &Value, required: &str) -> Value {
    let required: Value = required.split(' ').collect();
    let schema = json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    });
    let function = json!({"name": name, "description": description, "parameters": schema});
    json!({"type": "function", "function": function})
}

fn weather_declared() -> Value {
    let properties = json!({
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "city": {"type": "string"},
    });
    declared(
        "weather",
        "Says how the weather will be.",
        &properties,
        "days city",
    )
}

#[tokio::test]
async fn a_model_corrects_its_call() {
    let wrong = calling(&[("c1", "weather", r#"{"city":"Oslo","days":70}"#)]);
    let right = calling(&[("c2", "weather", r#"{"city":"Oslo","days":7}"#)]);
    let provider = FakeProvider::start(script(&[wrong.clone(), right.clone(), said("Sun.")]));
    let tools = RigTools::new(&tools()).unwrap();
    assert_eq!(run(&provider, &tools, false).await, "Sun.");

    let requests = provider.requests();
    let bars = json!({
        "bars": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
    });
    let door = json!({"door": {"type": "string"}});
    let tools = json!([
        weather_declared(),
        declared("open", "Opens a door.", &door, "door"),
        declared("chart", "Draws a chart.", &bars, "bars"),
    ]);
    assert_eq!(requests[0]["tools"], tools);
    // Equal values may differ in the order of their keys.
    assert_eq!(requests[0]["tools"].to_string(), tools.to_string());
    let messages = json!([
        {"role": "user", "content": "Go."},
        sent(&wrong),
        answered("c1", "days: expected an integer from 1 to 7, got 70"),
        sent(&right),
        answered("c2", "7 days of sun in Oslo"),
    ]);
    assert_eq!(requests[2]["messages"], messages);
}

#[tokio::test]
async fn every_call_of_a_turn_is_answered() {
    let calls = calling(&[
        ("c1", "weather", r#"{"city":"Rome","days":2}"#),
        ("c2", "open", r#"{"door":"back"}"#),
    ]);
    // rig runs no call of a turn in which one is unknown.
    let unknown = calling(&[("c3", "wether", "{}")]);
    let messages = [calls.clone(), unknown.clone(), said("Done.")];
    let provider = FakeProvider::start(script(&messages));
    run(&provider, &RigTools::new(&tools()).unwrap(), false).await;
    let messages = json!([
        {"role": "user", "content": "Go."},
        sent(&calls),
        answered("c1", "2 days of sun in Rome"),
        answered("c2", "the back door is locked"),
        sent(&unknown),
        answered("c3", "there is no tool wether"),
    ]);
    assert_eq!(provider.requests()[2]["messages"], messages);
}

#[tokio::test]
async fn a_strict_model_gets_the_strict_dialect() {
    let calls = calling(&[("c1", "chart", r#"{"bars":[{"key":"a","value":1}]}"#)]);
    let provider = FakeProvider::start(script(&[calls.clone(), said("Done.")]));
    let tools = RigTools::in_dialect(&tools(), Dialect::OpenAiStrict).unwrap();
    run(&provider, &tools, true).await;

    let requests = provider.requests();
    let pair = json!({
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": {"type": "integer", "minimum": 0}},
        "required": ["key", "value"],
        "additionalProperties": false,
    });
    let bars = json!({"bars": {"type": "array", "items": pair}});
    let mut chart = declared("chart", "Draws a chart.", &bars, "bars");
    chart["function"]["strict"] = true.into();
    assert_eq!(requests[0]["tools"][2], chart);
    let answer = &requests[1]["messages"][2];
    assert_eq!(answer["tool_call_id"], "c1");
    // rig puts the image where its model takes one.
    let messages = requests[1]["messages"].to_string();
    assert!(messages.contains(r#"{\"a\": 1}"#), "{messages}");
    assert!(
        messages.contains("data:image/png;base64,iVBORw0KGgo="),
        "{messages}"
    );
}

#[tokio::test]
async fn streamed_calls_run_too() {
    let arguments = [r#"{"city":"#, r#""Oslo","days":7}"#];
    let deltas = [
        json!({"role": "assistant", "tool_calls": [{
            "index": 0, "id": "c1", "type": "function",
            "function": {"name": "weather", "arguments": arguments[0]},
        }]}),
        json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments[1]}}]}),
    ];
    let provider = FakeProvider::start([
        chunks(&deltas, "tool_calls"),
        chunks(&[said("Sun.")], "stop"),
    ]);
    let agent = agent(&provider, &RigTools::new(&tools()).unwrap(), false);
    let mut stream = agent.prompt("Go.").max_turns(8).stream();
    while let Some(item) = stream.next().await {
        item.unwrap();
    }
    let messages = json!([
        {"role": "user", "content": "Go."},
        sent(&calling(&[("c1", "weather", &arguments.concat())])),
        answered("c1", "7 days of sun in Oslo"),
    ]);
    assert_eq!(provider.requests()[1]["messages"], messages);
}

/// A response in chunks: the deltas one by one, and the reason why it ended.
fn chunks(deltas: &[Value], reason: &str) -> Answer {
    let last = (json!({}), Some(reason));
    let deltas = deltas.iter().map(|delta| (delta.clone(), None));
    let mut text = String::new();
    for (delta, reason) in deltas.chain([last]) {
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        });
        text.extend(["data: ", &chunk.to_string(), "\n\n"]);
    }
    events(text + "data: [DONE]\n\n")
}

fn named(tools: &RigTools, name: &str) -> DynamicTool {
    let mut tools = tools.tools().into_iter();
    tools.find(|tool| tool.name().as_str() == name).unwrap()
}

#[tokio::test]
async fn errors_have_their_kind() {
    let tools = RigTools::new(&tools()).unwrap();
    let error = named(&tools, "weather").execute(json!({"days": 70})).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::InvalidArgs);
    let words = "days: expected an integer from 1 to 7, got 70\ncity: missing, expected a string";
    assert_eq!(error.model_feedback(), Some(words));
    assert!(error.is::<ToolError>());

    let error = named(&tools, "open").execute(json!({"door": "back"})).await;
    let error = error.unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ToolErrorKind::Other, Some("failed"))
    );
}

#[tokio::test]
async fn a_call_that_waits_is_refused() {
    let tools = RigTools::new(&tools()).unwrap();
    let tools = tools.executor(|executor| executor.layer(Approval::when(|_| true)));
    let error = named(&tools, "open").execute(json!({"door": "back"})).await;
    let error = error.unwrap_err();
    assert!(error.is_refusal());
    assert!(error.message().contains("approval"), "{error}");
}

#[derive(Serialize, Deserialize)]
struct User(String);

impl ContextValue for User {
    const KEY: &'static str = "user";
}

/// Greets the user.
#[tool]
fn greet(cx: &Context) -> String {
    let user = cx
        .get::<ToolContext>()
        .and_then(|rig| rig.get::<User>().ok()?);
    let greeting = cx.get::<&str>().unwrap();
    format!("{greeting}, {}", user.unwrap().0)
}

#[tokio::test]
async fn a_tool_reads_both_contexts() {
    let tools = RigTools::new(&tools![greet]).unwrap();
    let tools = tools.context(|rig| {
        assert!(rig.get::<User>().unwrap().is_some());
        Context::new().with("Hello")
    });
    let mut context = ToolContext::new();
    context.insert(User("Ada".to_owned())).unwrap();
    let greeting = named(&tools, "greet")
        .execute_with(&mut context, json!({}))
        .await;
    assert_eq!(greeting.unwrap().as_text(), Some("Hello, Ada"));
}

#[tokio::test]
async fn ids_of_calls_differ() {
    let ids = Arc::new(Mutex::new(HashSet::new()));
    for _ in 0..2 {
        let seen = ids.clone();
        let tools = RigTools::new(&tools()).unwrap().executor(|executor| {
            executor.on_event(move |event| {
                if let Event::Finished { result, .. } = event {
                    seen.lock().unwrap().insert(result.id.to_string());
                }
            })
        });
        let open = named(&tools, "open");
        for _ in 0..2 {
            open.execute(json!({"door": "back"})).await.unwrap_err();
        }
    }
    assert_eq!(ids.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn a_name_that_the_provider_refuses_comes_back() {
    let tools = Toolset::new([DynTool::declare(ToolDef::new("files.list", "Lists files."))]);
    let tools = RigTools::new(&tools.unwrap()).unwrap();
    let error = named(&tools, "files_list").execute(json!({})).await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("the tool `files.list` is declared"),
        "{error}"
    );
}

#[test]
fn tools_that_strict_mode_cannot_express_are_an_error() {
    let mut def = ToolDef::new("any", "Takes anything.");
    def.input = SchemaDoc::parse(r#"{"type": "object"}"#).unwrap();
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    assert_eq!(RigTools::new(&tools).unwrap().tools().len(), 1);
    let error = RigTools::in_dialect(&tools, Dialect::OpenAiStrict).unwrap_err();
    assert!(error.to_string().starts_with("any: "), "{error}");
}
