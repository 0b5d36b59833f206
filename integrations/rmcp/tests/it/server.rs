//! A toolset in a server of rmcp.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rmcp::handler::client::progress::ProgressDispatcher;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult, ClientRequest,
    ContentBlock, ErrorCode, ErrorData, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RoleClient, RunningService, ServiceError,
};
use rmcp::{ClientHandler, RoleServer, ServerHandler, ServiceExt, tool_handler, tool_router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use toolwright::call::{Content, Progress};
use toolwright::layers::Approval;
use toolwright::mcp::McpServer;
use toolwright::schema::SchemaDoc;
use toolwright::{
    Context, DynTool, Outcome, Registry, Schema, Tool, ToolError, Toolset, tool, tools,
};
use toolwright_rmcp::ToolsetRouter;

use super::{connected, object};

const LONG: Duration = Duration::from_secs(20);

/// Weather of a city.
#[derive(Serialize, Schema)]
struct Weather {
    sun: bool,
    degrees: i64,
}

/// Tells the weather.
#[tool(read_only, open_world = false, title = "The weather")]
fn forecast(
    /// City name
    city: &str,
    /// How many days
    #[arg(default = 3, range(1..=9))]
    days: u8,
) -> Result<Weather, ToolError> {
    match city {
        "Atlantis" => Err(ToolError::failed("no such city")),
        _ => Ok(Weather {
            sun: true,
            degrees: i64::MAX - i64::from(days),
        }),
    }
}

/// Doubles.
#[tool]
fn double(n: u128) -> u128 {
    n * 2
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("a secret")
}

/// Draws a chart.
#[tool]
fn chart() -> Content {
    Content::text("See:").image("image/png", "iVBORw0KGgo=")
}

/// Asks.
#[tool]
fn asks() -> Outcome {
    Outcome::ask("Which city?")
}

/// Deletes everything.
#[tool(destructive)]
fn wipe() -> u8 {
    1
}

/// Reports its steps, one of them twice.
#[tool]
async fn steps(cx: &Context, last: u32) -> u32 {
    for step in (1..=last).chain([last]) {
        let progress = Progress::new(step.into()).with_total(last.into());
        cx.progress(progress.with_message("a step"));
        tokio::task::yield_now().await;
    }
    last
}

/// Names the client, and who the host says that it is.
#[tool]
fn who(cx: &Context) -> String {
    let request = cx.get::<RequestContext<RoleServer>>().unwrap();
    let name = request.client_info().unwrap().name;
    let user = cx.get::<User>().map_or("nobody", |user| user.0);
    format!("{name}, {user}")
}

struct User(&'static str);

type Events = mpsc::UnboundedSender<&'static str>;

/// Reports when the future that holds it is dropped.
struct OnDrop(Events);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// Never answers.
#[tool]
async fn hangs(#[state] events: &Events) -> u8 {
    let _end = OnDrop(events.clone());
    let _ = events.send("began");
    std::future::pending().await
}

static ALONE: AtomicU32 = AtomicU32::new(0);

/// Runs beside no other call.
#[tool(exclusive)]
async fn alone() -> u32 {
    let beside = ALONE.fetch_add(1, Ordering::SeqCst);
    sleep(Duration::from_millis(5)).await;
    ALONE.fetch_sub(1, Ordering::SeqCst);
    beside
}

/// A tool made at run time, with metadata for clients and an output of any type.
fn priced() -> Arc<dyn Tool> {
    DynTool::builder()
        .name("priced")
        .description("Costs something.")
        .output(SchemaDoc::parse("true").unwrap())
        .meta("example.com/price", 3)
        .meta("risk", "low")
        .meta("icons", json!([{"src": "https://example.com/i.png"}]))
        .handler_sync(|_: Value, _| Ok::<_, ToolError>(1))
        .build()
        .unwrap()
}

fn all() -> Toolset {
    tools![forecast, double, boom, chart, asks, wipe, steps, who, alone].with(priced())
}

/// Server of rmcp's macros with a tool of its own.
struct Mixed {
    router: ToolRouter<Self>,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Named {
    name: String,
}

#[tool_router]
impl Mixed {
    fn new(tools: ToolsetRouter) -> Self {
        Self {
            router: Self::tool_router() + tools.into(),
        }
    }

    /// Greets.
    #[rmcp::tool]
    fn greet(Parameters(Named { name }): Parameters<Named>) -> String {
        format!("hello {name}")
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Mixed {}

/// Server whose list follows a registry.
struct Own(ToolsetRouter);

impl ServerHandler for Own {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.list_tools(&request)))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.0.call_tool(params, request).await?.into())
    }
}

/// Client that hears of progress.
#[derive(Clone, Default)]
struct Hears(ProgressDispatcher);

impl ClientHandler for Hears {
    async fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.handle_notification(report).await;
    }
}

async fn mixed(tools: Toolset) -> RunningService<RoleClient, ()> {
    connected(Mixed::new(ToolsetRouter::new(tools)), ()).await
}

fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(object(arguments))
}

async fn call(
    client: &RunningService<RoleClient, ()>,
    name: &'static str,
    arguments: Value,
) -> CallToolResult {
    let called = client.call_tool(params(name, arguments));
    timeout(LONG, called).await.unwrap().unwrap()
}

fn words(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn a_macro_server_has_our_tools_beside_its_own() {
    let client = mixed(all()).await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    let expected = [
        "alone", "asks", "boom", "chart", "double", "forecast", "greet", "priced", "steps", "who",
        "wipe",
    ];
    assert_eq!(names, expected);
    let greeted = call(&client, "greet", json!({"name": "Ada"})).await;
    assert_eq!(words(&greeted), "hello Ada");
    let result = call(&client, "forecast", json!({"city": "Oslo"})).await;
    let weather = json!({"sun": true, "degrees": i64::MAX - 3});
    assert_eq!(result.structured_content, Some(weather.clone()));
    assert_eq!(
        serde_json::from_str::<Value>(words(&result)).unwrap(),
        weather
    );
    assert_ne!(result.is_error, Some(true));
}

#[tokio::test]
async fn faults_and_errors_are_results() {
    let client = mixed(all()).await;
    let faults = call(&client, "forecast", json!({"city": 1, "days": 12, "x": 0})).await;
    assert_eq!(faults.is_error, Some(true));
    for part in ["city", "days", "x"] {
        assert!(words(&faults).contains(part), "{}", words(&faults));
    }
    let failed = call(&client, "forecast", json!({"city": "Atlantis"})).await;
    assert_eq!(
        (words(&failed), failed.is_error),
        ("no such city", Some(true))
    );
    let panicked = call(&client, "boom", json!({})).await;
    assert_eq!(panicked.is_error, Some(true));
    assert!(!words(&panicked).contains("secret"), "{}", words(&panicked));
    // The server is still there.
    assert_eq!(words(&call(&client, "double", json!({"n": 2})).await), "4");
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    let own = Own(ToolsetRouter::new(all()));
    for client in [mixed(all()).await, connected(own, ()).await] {
        let error = client
            .call_tool(params("forcast", json!({})))
            .await
            .unwrap_err();
        let ServiceError::McpError(error) = error else {
            panic!("{error}")
        };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{}", error.message);
    }
}

#[tokio::test]
async fn a_repair_is_said_and_a_value_that_fits_no_f64_is_lost() {
    let client = mixed(all()).await;
    let result = call(&client, "double", json!({"n": "21"})).await;
    assert_eq!(words(&result), "42");
    let meta = result.meta.unwrap();
    assert_eq!(meta["toolwright/repairs"][0]["from"], json!("\"21\""));
    // What the README says of numbers.
    let exact: Value = serde_json::from_str("123456789012345678901234567890").unwrap();
    assert!(exact.is_f64());
}

#[tokio::test]
async fn structured_content_is_of_any_type_since_2026() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = Mixed::new(ToolsetRouter::new(all()));
    tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
    let lifecycle = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    let new = ().serve_with_lifecycle(ours, lifecycle).await.unwrap();
    let old = mixed(all()).await;
    for (client, structured) in [(new, Some(json!(42))), (old, None)] {
        let result = call(&client, "double", json!({"n": 21})).await;
        assert_eq!(
            (words(&result), &result.structured_content),
            ("42", &structured)
        );
    }
}

#[tokio::test]
async fn pictures_are_blocks() {
    let client = mixed(all()).await;
    let result = call(&client, "chart", json!({})).await;
    let expected = [
        ContentBlock::text("See:"),
        ContentBlock::image("iVBORw0KGgo=", "image/png"),
    ];
    assert_eq!(result.content, expected);
}

#[tokio::test]
async fn what_waits_for_a_person_is_refused_in_words() {
    let tools = ToolsetRouter::new(all()).executor(|executor| executor.layer(Approval::default()));
    let client = connected(Mixed::new(tools), ()).await;
    let refused = call(&client, "wipe", json!({})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(words(&refused).contains("approval"), "{}", words(&refused));
    let asked = call(&client, "asks", json!({})).await;
    assert!(words(&asked).contains("Which city?"), "{}", words(&asked));
}

#[tokio::test]
async fn progress_comes_in_order_before_the_result() {
    let hears = Hears::default();
    let client = connected(Mixed::new(ToolsetRouter::new(all())), hears.clone()).await;
    let request = CallToolRequest::new(params("steps", json!({"last": 5})));
    let request = ClientRequest::CallToolRequest(request);
    let handle = client
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .unwrap();
    let mut reports = hears.0.subscribe(handle.progress_token.clone()).await;
    timeout(LONG, handle.await_response())
        .await
        .unwrap()
        .unwrap();
    for step in 1..=5 {
        let report = timeout(LONG, futures_next(&mut reports)).await.unwrap();
        assert_eq!(
            (report.progress, report.total),
            (f64::from(step), Some(5.0))
        );
        assert_eq!(report.message.as_deref(), Some("a step"));
    }
}

async fn futures_next(
    reports: &mut rmcp::handler::client::progress::ProgressSubscriber,
) -> ProgressNotificationParam {
    futures_util::StreamExt::next(reports).await.unwrap()
}

// With the clock paused, since rmcp's server gives its calls five seconds after the end of a connection.
#[tokio::test(start_paused = true)]
async fn a_cancel_reaches_the_tool() {
    let (events, mut heard): (Events, _) = mpsc::unbounded_channel();
    let client = mixed(tools![hangs; state = events]).await;
    let request = CallToolRequest::new(params("hangs", json!({})));
    let request = ClientRequest::CallToolRequest(request);
    let handle = client
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .unwrap();
    assert_eq!(timeout(LONG, heard.recv()).await.unwrap(), Some("began"));
    handle.cancel(Some("enough".to_owned())).await.unwrap();
    assert_eq!(timeout(LONG, heard.recv()).await.unwrap(), Some("dropped"));
    // So does the end of the connection.
    let call = tokio::spawn(async move { client.call_tool(params("hangs", json!({}))).await });
    assert_eq!(timeout(LONG, heard.recv()).await.unwrap(), Some("began"));
    call.abort();
    assert_eq!(timeout(LONG, heard.recv()).await.unwrap(), Some("dropped"));
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_is_a_result() {
    let (events, _heard): (Events, _) = mpsc::unbounded_channel();
    let client = mixed(tools![hangs; state = events]).await;
    let result = client.call_tool(params("hangs", json!({}))).await.unwrap();
    assert_eq!(result.is_error, Some(true));
    assert!(words(&result).contains("30"), "{}", words(&result));
}

#[tokio::test(start_paused = true)]
async fn exclusive_calls_run_alone() {
    let client = Arc::new(mixed(all()).await);
    let calls = (0..4).map(|_| {
        let client = Arc::clone(&client);
        tokio::spawn(async move { words(&call(&client, "alone", json!({})).await).to_owned() })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap(), "0");
    }
}

#[tokio::test]
async fn a_registry_changes_and_the_request_makes_the_context() {
    let registry = Registry::from(tools![who]);
    let tools = ToolsetRouter::new(registry.clone()).context(|request| {
        let name = request.client_info().map(|info| info.name);
        Context::new().with(User(if name.is_some() { "Ada" } else { "?" }))
    });
    let client = connected(Own(tools), ()).await;
    let answer = call(&client, "who", json!({})).await;
    assert!(words(&answer).ends_with(", Ada"), "{}", words(&answer));
    registry.extend(&tools![double]);
    assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
    assert_eq!(words(&call(&client, "double", json!({"n": 4})).await), "8");
}

#[tokio::test]
async fn the_list_is_that_of_our_own_server() {
    let theirs = mixed(all()).await;
    let (ours, pipe) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(pipe);
    tokio::spawn(McpServer::new(all()).serve_pipe(input, output));
    let ours = rmcp::ServiceExt::serve((), ours).await.unwrap();
    let mut expected = ours.list_all_tools().await.unwrap();
    expected.sort_by(|a, b| a.name.cmp(&b.name));
    let mut listed = theirs.list_all_tools().await.unwrap();
    listed.retain(|tool| tool.name != "greet");
    assert_eq!(listed, expected);
    let forecast = listed.iter().find(|tool| tool.name == "forecast").unwrap();
    let hints = forecast.annotations.as_ref().unwrap();
    assert_eq!(hints.read_only_hint, Some(true));
    assert_eq!(forecast.title.as_deref(), Some("The weather"));
    assert!(forecast.output_schema.is_some());
    let priced = listed.iter().find(|tool| tool.name == "priced").unwrap();
    let meta = priced.meta.clone().unwrap().0;
    assert_eq!(Value::from(meta), json!({"example.com/price": 3}));
    assert_eq!(priced.icons.as_ref().unwrap().len(), 1);
}
