//! The tools, and clients that their server knows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::mcp::McpServer;
use toolwright::{
    Context, DynTool, Outcome, ToolDef, ToolError,
    call::{Filter, Progress, Scope},
    layers::Approval,
    schema::SchemaDoc,
    tool, tools,
};

use super::client::{Client, JSON};

/// Adds.
#[tool]
fn add(a: i64, b: i64, #[state] runs: &AtomicUsize) -> i64 {
    runs.fetch_add(1, Ordering::SeqCst);
    a + b
}

/// Waits.
#[tool]
async fn wait(ms: u64, #[state] runs: &AtomicUsize) -> u64 {
    runs.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

/// Asks.
#[tool]
fn ask(#[state] runs: &AtomicUsize) -> Outcome {
    runs.fetch_add(1, Ordering::SeqCst);
    Outcome::ask("Which one?")
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// Tells who it is for.
#[tool]
fn whose(#[context] cx: &Context) -> String {
    let session = cx.session_id().unwrap_or_default();
    format!("{} in {session}", cx.agent_id().unwrap_or("nobody"))
}

/// Tells three times how far it is.
#[tool]
async fn tells(#[context] cx: &Context) -> &'static str {
    for done in 1..=3 {
        cx.progress(Progress::new(f64::from(done)));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "told"
}

/// Pays.
#[tool(destructive)]
fn pay(cents: u32) -> u32 {
    cents
}

/// A server that asks before somebody pays.
pub(crate) fn asking() -> McpServer {
    McpServer::new(tools![pay]).executor(|executor| executor.layer(Approval::default()))
}

/// A server of these, and of a tool with a parameter that stands in a header too; and how often they ran.
pub(crate) fn server() -> (McpServer, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let schema = json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
        "additionalProperties": false,
    });
    let region = DynTool::builder()
        .name("region")
        .description("Says where.")
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments["region"].to_string()))
        .build()
        .unwrap();
    let needy = |name: &'static str| {
        DynTool::builder()
            .name(name)
            .description("Asks a model.")
            .meta("client_capabilities", json!({"sampling": {}}))
            .visible(move |_| name == "needy")
            .handler_sync(|_: Value, _| Ok::<_, ToolError>("said"))
            .build()
            .unwrap()
    };
    let tools = tools![add, wait, ask, boom, whose, tells; state = Arc::clone(&runs)];
    let is_seen =
        |def: &ToolDef, scope: &Scope<'_>| def.name != "whose" || scope.input != Some("hide it");
    let tools = [region, needy("needy"), needy("secret")]
        .into_iter()
        .fold(tools, |tools, tool| tools.with(tool));
    let server = McpServer::new(tools);
    (
        server.executor(|executor| executor.filter(Filter::when(is_seen))),
        runs,
    )
}

pub(crate) const FIVE: &str = r#"{"a": 2, "b": 3}"#;

/// A client of each kind, known to its server.
pub(crate) async fn known() -> [(Client, Arc<AtomicUsize>); 2] {
    let (server, runs) = self::server();
    let session = Client::greeted(&server.http(), &json!({"elicitation": {}})).await;
    let heard = session.call("add", FIVE).await;
    assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "5");
    let (server, others) = self::server();
    let alone = Client::of_2026(&server.http());
    let heard = alone.call("add", FIVE).await;
    assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "5");
    runs.store(0, Ordering::SeqCst);
    others.store(0, Ordering::SeqCst);
    [(session, runs), (alone, others)]
}
