//! Any lines as messages of MCP.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split,
};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use toolwright::mcp::{self, McpServer, Messages, ServerAt, ServerLimits};
use toolwright::{Context, Outcome, ToolCall, prompt, resource, tool, tools};

use crate::selected;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(4);

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
});

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

/// Asks.
#[tool]
fn ask() -> Outcome {
    Outcome::ask("Which city?").option("choices", ["Oslo", "Rome"])
}

/// Renders.
#[tool(background)]
async fn render(minutes: u8) -> u8 {
    minutes
}

/// Greets.
#[prompt]
fn greet(name: &str) -> Messages {
    Messages::new().user(format!("Hello, {name}!"))
}

/// An order.
#[resource("orders://{id}/{+path}")]
fn order(id: u64, path: &str) -> String {
    format!("{id} {path}")
}

fn server() -> McpServer {
    let limits = ServerLimits {
        message: 2_048,
        answer: Duration::from_millis(50),
        grace: Duration::from_millis(100),
        ..ServerLimits::default()
    };
    McpServer::new(tools![add, ask, render])
        .prompts(tools![greet])
        .resources(tools![order])
        .limits(limits)
}

/// Checks what holds for any lines, of a client of each version and of a server.
///
/// # Panics
/// When one of it does not hold.
pub fn check(input: &[u8]) {
    const VERSIONS: [&str; 4] = ["", "2025-03-26", "2025-06-18", "2025-11-25"];
    let Some((kind, text)) = selected(input, VERSIONS.len() + 1) else {
        return;
    };
    RUNTIME.block_on(async {
        match VERSIONS.get(kind) {
            Some(version) => said_to_a_server(version, &text).await,
            None => said_to_a_client(&text).await,
        }
    });
}

/// A server says only messages, and each request has one answer; then it ends.
async fn said_to_a_server(version: &str, text: &str) {
    let (ours, theirs) = duplex(1 << 20);
    let (input, output) = split(theirs);
    let ended = tokio::spawn(server().serve_pipe(input, output));
    let (mut heard, mut said) = split(ours);
    if !version.is_empty() {
        let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "fuzz", "version": "1"},
        }});
        said.write_all(format!("{hello}\n").as_bytes())
            .await
            .expect("a pipe");
    }
    said.write_all(text.as_bytes()).await.expect("a pipe");
    said.shutdown().await.expect("a pipe");
    let mut out = String::new();
    let read = timeout(LONG, heard.read_to_string(&mut out)).await;
    read.expect("the server ends").expect("it says text");
    let ended = timeout(LONG, ended).await.expect("the server ends");
    ended.expect("no panic").expect("no error of a pipe");

    let mut answers = HashMap::<String, usize>::new();
    for line in out.lines() {
        let message: Value = serde_json::from_str(line).expect("a message is JSON");
        let messages = match message {
            Value::Array(messages) => messages,
            message => vec![message],
        };
        for message in messages {
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            let is_answer = message.get("result").is_some() != message.get("error").is_some();
            assert!(is_answer || message["method"].is_string(), "{message}");
            if is_answer {
                *answers.entry(message["id"].to_string()).or_default() += 1;
            }
        }
    }
    for id in requests(text) {
        let answered = answers.get(&id).copied().unwrap_or_default();
        // A message that is broken, and says this id too, is answered by an error.
        let most = text.matches(&*id).count();
        assert!(
            (1..=most).contains(&answered),
            "{answered} answers to {id} in {out}"
        );
    }
}

/// The ids of requests that a plain reader finds. None where a request may be taken back, or is one that nobody
/// answers before the end.
fn requests(text: &str) -> HashSet<String> {
    let is_unclear = [
        "\\",
        "cancelled",
        "subscriptions",
        "tasks/",
        "response",
        "result",
        "error",
    ];
    if is_unclear.iter().any(|unclear| text.contains(unclear)) {
        return HashSet::new();
    }
    let lines = text.lines().filter(|line| line.len() < 2_000);
    let requests = lines.filter_map(|line| {
        let is_plain = ["\"id\"", "\"method\"", "\"jsonrpc\""]
            .iter()
            .all(|key| line.matches(key).count() == 1);
        let message: Value = serde_json::from_str(line).ok().filter(|_| is_plain)?;
        let is_request = message["jsonrpc"] == "2.0" && message["method"].is_string();
        let id = &message["id"];
        let has_id = id.as_str().is_some_and(|id| !id.contains("hello")) || id.is_u64();
        (is_request && has_id).then(|| id.to_string())
    });
    requests.collect()
}

/// Whatever a server says, a client's call ends.
async fn said_to_a_client(text: &str) {
    let text = text.to_owned();
    let at = ServerAt::pipes(move || {
        let (ours, theirs) = duplex(1 << 20);
        tokio::spawn(scripted(theirs, text.clone()));
        Ok(split(ours))
    });
    let connector = mcp::connect(at)
        .initialize()
        .idle_timeout(Duration::from_millis(200))
        .backoff(Duration::from_mins(1), Duration::from_mins(1))
        // The script answers at once; on a busy machine that can take long.
        .connect_timeout(LONG)
        .max_bytes(2_048);
    let client = timeout(LONG, async { connector.await }).await;
    let client = client.expect("it connects").expect("it connects");
    let tools = client.toolset();
    let call = ToolCall::new("1", "add", r#"{"a":1,"b":2}"#);
    let cx = Context::new();
    let called = timeout(LONG, tools.call(&call, &cx));
    drop(called.await.expect("the call ends"));
    drop((tools, client));
    // What was spawned ends.
    tokio::task::yield_now().await;
}

/// Greets, lists a tool, and answers its call with any lines.
async fn scripted(pipe: DuplexStream, text: String) {
    let (input, mut output) = split(pipe);
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let asked: Value = serde_json::from_str(&line).expect("a message is JSON");
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "fuzz", "version": "1"},
            }),
            Some("tools/list") => json!({"tools": [
                {"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}},
            ]}),
            Some("tools/call") => {
                let id = asked["id"].to_string();
                let _ = output.write_all(text.replace("ID", &id).as_bytes()).await;
                let _ = output.write_all(b"\n").await;
                let _ = output.shutdown().await;
                continue;
            }
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        let _ = output.write_all(format!("{answer}\n").as_bytes()).await;
    }
}
