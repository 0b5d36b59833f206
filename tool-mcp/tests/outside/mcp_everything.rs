//! The client with the protocol's own reference server, `@modelcontextprotocol/server-everything`, over
//! standard input and output and over HTTP: `tests/outside/mcp_everything.sh` installs it and runs this.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashSet;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolwright::{
    Context, Executor, Outcome, ToolCall, ToolError, Toolset,
    call::{Block, Cancel, ErrorKind},
    executor::Event,
};
use toolwright_mcp::{self as mcp, Connector, ElicitResult};

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("run tests/outside/mcp_everything.sh: no {name}"))
}

fn process() -> Connector {
    let mut command = Command::new(variable("TOOLWRIGHT_NODE"));
    command.args([&variable("TOOLWRIGHT_EVERYTHING"), "stdio"]);
    mcp::connect(command)
}

fn url() -> Connector {
    mcp::connect(variable("TOOLWRIGHT_EVERYTHING_URL"))
}

async fn call(tools: &Toolset, name: &str, arguments: &str) -> Result<Outcome, ToolError> {
    let call = ToolCall::new("1", name, arguments);
    tools.call(&call, &Context::new()).await.outcome
}

async fn text(tools: &Toolset, name: &str, arguments: &str) -> String {
    let outcome = call(tools, name, arguments).await.unwrap();
    outcome.payload().expect("a value").to_plain().into_owned()
}

async fn value(tools: &Toolset, name: &str, arguments: &str) -> serde_json::Value {
    let outcome = call(tools, name, arguments).await.unwrap();
    let json = outcome.payload().unwrap_or_else(|| panic!("{outcome:?}"));
    serde_json::from_str(&json.to_json()).unwrap()
}

async fn blocks(tools: &Toolset, name: &str, arguments: &str) -> Vec<Block> {
    match call(tools, name, arguments).await.unwrap() {
        Outcome::Content(content) => content.blocks().to_vec(),
        other => panic!("{other:?}"),
    }
}

async fn everything(connector: Connector) {
    let connector = connector
        .trust_hints()
        .prefix("all_")
        .on_elicitation(|question| async move {
            assert_eq!(question.server, "mcp-servers/everything");
            assert!(question.message.starts_with("Please provide inputs"));
            let schema = question.schema.unwrap();
            assert_eq!(schema["properties"]["email"]["format"], "email");
            let values = json!({"name": "Ada", "check": true, "integer": 7});
            ElicitResult::Accept(values.as_object().cloned().unwrap())
        });
    let client = connector.await.unwrap();
    let tools = client.toolset();
    assert_eq!(client.protocol(), Some("2025-11-25"));
    // One runs only as a task of 2025-11-25.
    let notices = client.notices();
    let left_out: Vec<_> = notices.iter().map(|notice| &*notice.tool).collect();
    assert_eq!(left_out, ["simulate-research-query"], "{notices:?}");

    assert_eq!(
        text(&tools, "all_echo", r#"{"message": "hé\n"}"#).await,
        "Echo: hé\n"
    );
    let sum = text(&tools, "all_get-sum", r#"{"a": 0.1, "b": 2e1}"#).await;
    assert_eq!(sum, "The sum of 0.1 and 20 is 20.1.");
    let def = tools.get("all_get-sum").unwrap().def();
    assert_eq!(
        (
            def.options.annotations.read_only,
            def.options.annotations.destructive
        ),
        (Some(true), Some(false))
    );

    let weather = call(
        &tools,
        "all_get-structured-content",
        r#"{"location": "Chicago"}"#,
    )
    .await;
    let weather = weather.unwrap().payload().unwrap().to_value();
    assert_eq!(
        weather,
        json!({"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82})
    );
    let def = tools.get("all_get-structured-content").unwrap().def();
    assert!(def.output.as_ref().unwrap().as_json().contains("humidity"));

    // Refused here, before the server sees it.
    let wrong = r#"{"location": "Oslo"}"#;
    let error = call(&tools, "all_get-structured-content", wrong)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgs);
    // And by the server, which asks for more than its schema.
    let wrong = r#"{"resourceType": "Text", "resourceId": 1.5}"#;
    let error = call(&tools, "all_get-resource-reference", wrong)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(
        error
            .to_string()
            .contains("Must be a finite positive integer"),
        "{error}"
    );

    let image = blocks(&tools, "all_get-tiny-image", "{}").await;
    let is_png = |block: &Block| matches!(block, Block::Image { mime_type, data } if mime_type == "image/png" && data.starts_with("iVBOR"));
    assert!(image.iter().any(is_png), "{image:?}");
    let links = blocks(&tools, "all_get-resource-links", r#"{"count": 3}"#).await;
    let is_link = |block: &&Block| matches!(block, Block::Resource { .. });
    assert_eq!(links.iter().filter(is_link).count(), 3);
    let resource = r#"{"resourceType": "Text", "resourceId": 1}"#;
    let resource = blocks(&tools, "all_get-resource-reference", resource).await;
    assert!(resource.iter().any(|block| is_link(&block)), "{resource:?}");

    // The newest tools are there once the server knows what this client can do.
    let now = client.registry().snapshot();
    let answer = blocks(&now, "all_trigger-elicitation-request", "{}").await;
    let said: Vec<_> = answer.iter().map(|block| format!("{block:?}")).collect();
    assert!(
        said.iter().any(|text| text.contains("Name: Ada")),
        "{said:?}"
    );
    slow(&tools).await;
    client.close().await;
}

/// A call that takes its time tells how far it is, and can be cancelled.
async fn slow(tools: &Toolset) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let executor = Executor::parallel(tools.clone(), 4).on_event(move |event| {
        if let Event::Progress { progress, .. } = event {
            ear.lock().unwrap().push((progress.done, progress.total));
        }
    });
    let quick = r#"{"duration": 0.4, "steps": 4}"#;
    let call = ToolCall::new("1", "all_trigger-long-running-operation", quick);
    let batch = executor.run(&[call], &Context::new()).await;
    assert!(
        batch.results().all(toolwright::ToolResult::is_success),
        "{batch:?}"
    );
    let steps = [1.0, 2.0, 3.0, 4.0].map(|done| (done, Some(4.0)));
    assert_eq!(*heard.lock().unwrap(), steps);

    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let long = r#"{"duration": 600, "steps": 1}"#;
    let call = ToolCall::new("2", "all_trigger-long-running-operation", long);
    let calls = [call];
    let (batch, ()) = tokio::join!(executor.run(&calls, &cx), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
    });
    let kinds: Vec<_> = batch
        .results()
        .map(|result| result.outcome.as_ref().unwrap_err().kind())
        .collect();
    assert_eq!(kinds, [ErrorKind::Cancelled]);
}

#[tokio::test]
async fn over_standard_input_and_output() {
    everything(process()).await;
    everything(process().initialize()).await;
}

#[tokio::test]
async fn over_http() {
    everything(url()).await;
    everything(url().initialize()).await;
}

/// A server of others as a process, by the folder of its time and its package's name.
fn other(servers: &str, name: &str) -> Command {
    let program = format!("{}/{name}/dist/index.js", variable(servers));
    let mut command = Command::new(variable("TOOLWRIGHT_NODE"));
    command.arg(program);
    command
}

const SERVERS: &str = "TOOLWRIGHT_MCP_SERVERS";
const SERVERS_2024: &str = "TOOLWRIGHT_MCP_SERVERS_2024";

/// A folder of its own for a test, empty.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("toolwright-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

#[tokio::test]
async fn the_filesystem_server() {
    let folder = folder("filesystem");
    let mut command = other(SERVERS, "server-filesystem");
    command.arg(&folder);
    let client = mcp::connect(command).trust_hints().await.unwrap();
    let tools = client.toolset();
    assert!(client.notices().is_empty(), "{:?}", client.notices());
    assert_eq!(
        tools
            .get("read_text_file")
            .unwrap()
            .def()
            .options
            .annotations
            .read_only,
        Some(true)
    );
    let path = folder.join("note.txt");
    let note = json!({"path": path, "content": "Gr\u{fc}\u{df}e \"\u{1f980}\""}).to_string();
    let wrote = value(&tools, "write_file", &note).await;
    let wrote = wrote["content"].as_str().expect("a text");
    assert!(wrote.starts_with("Successfully wrote"), "{wrote}");
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "Gr\u{fc}\u{df}e \"\u{1f980}\""
    );
    let read = json!({"path": path}).to_string();
    let read = value(&tools, "read_text_file", &read).await;
    assert_eq!(read, json!({"content": "Gr\u{fc}\u{df}e \"\u{1f980}\""}));
    // What the server refuses is an error of the tool.
    let outside = json!({"path": "/etc/hostname"}).to_string();
    let error = call(&tools, "read_text_file", &outside).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(
        error.to_string().contains("outside allowed directories"),
        "{error}"
    );
    client.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn the_memory_server() {
    let folder = folder("memory");
    let mut command = other(SERVERS, "server-memory");
    command.env("MEMORY_FILE_PATH", folder.join("memory.jsonl"));
    let client = mcp::connect(command).await.unwrap();
    let tools = client.toolset();
    assert!(client.notices().is_empty(), "{:?}", client.notices());
    let ada = json!({"name": "Ada", "entityType": "person", "observations": ["writes programs"]});
    let entities = json!({"entities": [ada]}).to_string();
    // Structured content is the value, and is not told twice.
    let made = value(&tools, "create_entities", &entities).await;
    assert_eq!(made, json!({"entities": [ada]}));
    let graph = value(&tools, "read_graph", "{}").await;
    assert_eq!(graph, json!({"entities": [ada], "relations": []}));
    client.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}

/// It does not know `server/discover`, and speaks the first version of the protocol.
#[tokio::test]
async fn the_memory_server_of_2024() {
    // It writes beside its program.
    let file = "server-memory/dist/memory.json";
    let file = std::path::Path::new(&variable(SERVERS_2024)).join(file);
    let _ = std::fs::remove_file(&file);
    let command = other(SERVERS_2024, "server-memory");
    let client = mcp::connect(command).await.unwrap();
    assert_eq!(client.protocol(), Some("2024-11-05"));
    let tools = client.toolset();
    assert!(client.notices().is_empty(), "{:?}", client.notices());
    let ada = json!({"name": "Ada", "entityType": "person", "observations": ["writes programs"]});
    let entities = json!({"entities": [ada]}).to_string();
    let made = text(&tools, "create_entities", &entities).await;
    assert_eq!(json!([ada]), made.parse::<serde_json::Value>().unwrap());
    let graph = text(&tools, "read_graph", "{}").await;
    // As its file has it.
    let mut stored = ada.clone();
    stored["type"] = "entity".into();
    let expected = json!({"entities": [stored], "relations": []});
    assert_eq!(expected, graph.parse::<serde_json::Value>().unwrap());
    // What the server refuses is the call's error.
    let unknown = json!({"entityName": "Bob", "contents": ["reads"]});
    let unknown = json!({"observations": [unknown]}).to_string();
    let error = call(&tools, "add_observations", &unknown)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("Bob"), "{error}");
    let many: Vec<_> = (0..5_000)
        .map(|number| json!({"name": number.to_string(), "entityType": "number", "observations": []}))
        .collect();
    text(
        &tools,
        "create_entities",
        &json!({"entities": many}).to_string(),
    )
    .await;
    let graph = text(&tools, "read_graph", "{}").await;
    let graph = graph.parse::<serde_json::Value>().unwrap();
    assert_eq!(graph["entities"].as_array().unwrap().len(), 5_001);
    client.close().await;
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn the_thinking_server_of_2024() {
    let command = other(SERVERS_2024, "server-sequential-thinking");
    let client = mcp::connect(command).await.unwrap();
    assert_eq!(client.protocol(), Some("2024-11-05"));
    let tools = client.toolset();
    assert!(client.notices().is_empty(), "{:?}", client.notices());
    let mut thought =
        json!({"thought": "a", "thoughtNumber": 1, "totalThoughts": 60, "nextThoughtNeeded": true});
    let calls = (1..=60).map(|number| {
        thought["thoughtNumber"] = number.into();
        ToolCall::new(
            number.to_string(),
            "sequentialthinking",
            thought.to_string(),
        )
    });
    let calls: Vec<_> = calls.collect();
    let batch = Executor::parallel(tools, 60)
        .run(&calls, &Context::new())
        .await;
    let answers: HashSet<_> = batch
        .results()
        .map(|result| {
            let answer = result.outcome.as_ref().unwrap().payload().unwrap();
            let answer: serde_json::Value = answer.to_plain().parse().unwrap();
            answer["thoughtNumber"].to_string()
        })
        .collect();
    assert_eq!(answers.len(), 60, "{batch:?}");
    client.close().await;
}
