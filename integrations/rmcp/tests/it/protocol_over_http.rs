//! `rmcp` over HTTP: its client with our server, and our client with its server.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::{Router, extract, middleware};
use futures_util::StreamExt;
use http::Method;
use rmcp::handler::client::progress::ProgressDispatcher;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    ClientConfig, ClientRequest, ContentBlock, ErrorCode, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool as Listed,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RequestHandle, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ClientHandler, RoleClient, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use toolwright::call::{Cancel, ErrorKind, Progress};
use toolwright::executor::Event;
use toolwright::mcp::{self, ClientEvent, Connector, McpServer};
use toolwright::{Context, Executor, Registry, ToolCall, ToolError, ToolResult, tool, tools};

const LONG: Duration = Duration::from_secs(20);

type Events = mpsc::UnboundedSender<String>;
type Heard = mpsc::UnboundedReceiver<String>;

async fn next(heard: &mut Heard) -> String {
    timeout(LONG, heard.recv()).await.unwrap().unwrap()
}

/// Serves the router on a port of its own until the test ends.
async fn listen(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    a.checked_add(b)
        .ok_or_else(|| ToolError::failed("too large"))
}

/// Reports its steps.
#[tool]
async fn steps(cx: &Context, last: u32) -> u32 {
    for step in 1..=last {
        cx.progress(Progress::new(step.into()).with_total(last.into()));
        tokio::task::yield_now().await;
    }
    last
}

/// Reports when the future that holds it is dropped.
struct OnDrop(Events);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send("dropped".to_owned());
    }
}

/// Never answers.
#[tool]
async fn hangs(#[state] events: &Events) -> u8 {
    let _end = OnDrop(events.clone());
    let _ = events.send("began".to_owned());
    std::future::pending().await
}

/// Our server, and what happens to it.
struct Ours {
    url: String,
    registry: Registry,
    /// Methods of its requests.
    requests: Arc<Mutex<Vec<Method>>>,
    heard: Heard,
}

async fn ours() -> Ours {
    let (events, heard): (Events, _) = mpsc::unbounded_channel();
    let registry = Registry::from(tools![add, steps, hangs; state = events]);
    let requests = Arc::<Mutex<Vec<Method>>>::default();
    let note = {
        let requests = Arc::clone(&requests);
        move |request: extract::Request, next: middleware::Next| {
            requests.lock().unwrap().push(request.method().clone());
            next.run(request)
        }
    };
    let router = Router::new()
        .route_service("/mcp", McpServer::new(registry.clone()).http())
        .layer(middleware::from_fn(note));
    Ours {
        url: format!("http://{}/mcp", listen(router).await),
        registry,
        requests,
        heard,
    }
}

/// Client of `rmcp` that hears of progress and of changes.
#[derive(Clone)]
struct Theirs {
    version: ProtocolVersion,
    progress: ProgressDispatcher,
    changes: mpsc::UnboundedSender<String>,
}

impl ClientHandler for Theirs {
    fn get_info(&self) -> ClientConfig {
        let me = Implementation::new("test", "1");
        let mut info = ClientConfig::new(ClientCapabilities::default(), me);
        info.protocol_version = self.version.clone();
        info
    }

    async fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.progress.handle_notification(report).await;
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.changes.send("changed".to_owned());
    }
}

type Client = RunningService<RoleClient, Theirs>;

async fn theirs(url: &str, version: &ProtocolVersion) -> (Client, Heard) {
    let (changes, heard) = mpsc::unbounded_channel();
    let handler = Theirs {
        version: version.clone(),
        progress: ProgressDispatcher::new(),
        changes,
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = if *version == ProtocolVersion::V_2026_07_28 {
        let lifecycle = ClientLifecycleMode::Discover {
            preferred_versions: vec![version.clone()],
        };
        handler.serve_with_lifecycle(transport, lifecycle).await
    } else {
        handler.serve(transport).await
    };
    (client.unwrap(), heard)
}

const VERSIONS: [ProtocolVersion; 3] = [
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("{arguments} is not an object")
    };
    CallToolRequestParams::new(name).with_arguments(arguments)
}

async fn called(client: &Client, name: &'static str, arguments: Value) -> CallToolResult {
    let called = client.call_tool(params(name, arguments));
    timeout(LONG, called).await.unwrap().unwrap()
}

async fn begin(client: &Client, name: &'static str, arguments: Value) -> RequestHandle<RoleClient> {
    let request = CallToolRequest::new(params(name, arguments));
    let request = ClientRequest::CallToolRequest(request);
    let options = PeerRequestOptions::no_options();
    client
        .send_cancellable_request(request, options)
        .await
        .unwrap()
}

fn words(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn their_client_lists_and_calls() {
    for version in VERSIONS {
        let server = ours().await;
        let (client, _) = theirs(&server.url, &version).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["add", "steps", "hangs"], "{version}");
        let n = 9_007_199_254_740_993_i64;
        let sum = called(&client, "add", json!({"a": n, "b": 0})).await;
        assert_eq!(words(&sum), n.to_string());
        let failed = called(&client, "add", json!({"a": i64::MAX, "b": 1})).await;
        assert_eq!((words(&failed), failed.is_error), ("too large", Some(true)));
        let faults = called(&client, "add", json!({"a": "x"})).await;
        assert_eq!(faults.is_error, Some(true));
        assert!(words(&faults).contains("b: missing"), "{}", words(&faults));
        let unknown = client.call_tool(params("ad", json!({}))).await;
        let Err(ServiceError::McpError(error)) = unknown else {
            panic!("{unknown:?}")
        };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    }
}

#[tokio::test]
async fn their_client_hears_of_progress() {
    for version in VERSIONS {
        let server = ours().await;
        let (client, _) = theirs(&server.url, &version).await;
        let handle = begin(&client, "steps", json!({"last": 4})).await;
        let progress = &client.service().progress;
        let mut reports = progress.subscribe(handle.progress_token.clone()).await;
        timeout(LONG, handle.await_response())
            .await
            .unwrap()
            .unwrap();
        for step in 1..=4 {
            let report = timeout(LONG, reports.next()).await.unwrap().unwrap();
            let expected = (f64::from(step), Some(4.0));
            assert_eq!((report.progress, report.total), expected, "{version}");
        }
    }
}

#[tokio::test]
async fn a_cancel_of_their_client_reaches_the_tool() {
    for version in VERSIONS {
        let mut server = ours().await;
        let (client, _) = theirs(&server.url, &version).await;
        let handle = begin(&client, "hangs", json!({})).await;
        assert_eq!(next(&mut server.heard).await, "began", "{version}");
        handle.cancel(Some("enough".to_owned())).await.unwrap();
        assert_eq!(next(&mut server.heard).await, "dropped", "{version}");
        // The session goes on.
        let sum = called(&client, "add", json!({"a": 1, "b": 2})).await;
        assert_eq!(words(&sum), "3");
    }
}

#[tokio::test]
async fn their_client_ends_its_session() {
    let server = ours().await;
    let (client, _) = theirs(&server.url, &ProtocolVersion::V_2025_11_25).await;
    called(&client, "add", json!({"a": 1, "b": 2})).await;
    timeout(LONG, client.cancel()).await.unwrap().unwrap();
    let requests = server.requests.lock().unwrap().clone();
    let ended = requests
        .iter()
        .filter(|method| **method == Method::DELETE)
        .count();
    assert_eq!(ended, 1, "{requests:?}");
}

#[tokio::test]
async fn their_client_hears_of_a_changed_list() {
    let server = ours().await;
    let (client, mut changes) = theirs(&server.url, &ProtocolVersion::V_2025_11_25).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 3);
    server.registry.remove("steps");
    assert_eq!(next(&mut changes).await, "changed");
    assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
}

#[tokio::test]
async fn two_of_their_clients_at_once() {
    let mut server = ours().await;
    let version = ProtocolVersion::V_2025_11_25;
    let (one, _) = theirs(&server.url, &version).await;
    let (two, _) = theirs(&server.url, &version).await;
    let hangs = begin(&one, "hangs", json!({})).await;
    assert_eq!(next(&mut server.heard).await, "began");
    // Their requests have equal ids, and a call of one is not one of the other's.
    for n in 0..20 {
        let (left, right) = tokio::join!(
            called(&one, "add", json!({"a": n, "b": 1})),
            called(&two, "add", json!({"a": n, "b": 100})),
        );
        let expected = [n + 1, n + 100].map(|sum| sum.to_string());
        assert_eq!([words(&left), words(&right)], expected);
    }
    timeout(LONG, two.cancel()).await.unwrap().unwrap();
    assert!(server.heard.try_recv().is_err());
    hangs.cancel(None).await.unwrap();
    assert_eq!(next(&mut server.heard).await, "dropped");
}

/// Server of `rmcp`.
#[derive(Clone)]
struct Scripted(Events);

impl ServerHandler for Scripted {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ["echo", "fail", "refuse", "steps", "hangs"].map(|name| {
            let Value::Object(schema) = json!({"type": "object"}) else {
                panic!("no object")
            };
            Listed::new(name, "Does it.", Arc::<JsonObject>::new(schema))
        });
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = |text: String| vec![ContentBlock::text(text)];
        let arguments = Value::from(params.arguments.unwrap_or_default());
        let result = match &*params.name {
            "echo" => CallToolResult::success(text(arguments.to_string())),
            "fail" => CallToolResult::error(text("no disk".to_owned())),
            "steps" => {
                let token = request.meta.get_progress_token().unwrap();
                for step in 1..=3 {
                    let report =
                        ProgressNotificationParam::new(token.clone(), step.into()).with_total(3.0);
                    request.peer.notify_progress(report).await.unwrap();
                }
                CallToolResult::success(text("done".to_owned()))
            }
            "hangs" => {
                let _end = OnDrop(self.0.clone());
                let _ = self.0.send("began".to_owned());
                request.ct.cancelled().await;
                CallToolResult::success(text("late".to_owned()))
            }
            _ => return Err(ErrorData::invalid_params("not today", None)),
        };
        Ok(result.into())
    }
}

struct TheirServer {
    url: String,
    sessions: Arc<LocalSessionManager>,
    heard: Heard,
}

async fn their_server() -> TheirServer {
    let (events, heard) = mpsc::unbounded_channel();
    let sessions = Arc::<LocalSessionManager>::default();
    let service = StreamableHttpService::new(
        move || Ok(Scripted(events.clone())),
        Arc::clone(&sessions),
        StreamableHttpServerConfig::default(),
    );
    let router = Router::new().route_service("/mcp", service);
    TheirServer {
        url: format!("http://{}/mcp", listen(router).await),
        sessions,
        heard,
    }
}

/// Clients of ours that begin in each way.
fn connectors(url: &str) -> [Connector; 2] {
    [mcp::connect(url), mcp::connect(url).initialize()]
}

async fn call(client: &mcp::Client, name: &str, arguments: &str) -> ToolResult {
    let (call, cx) = (ToolCall::new("1", name, arguments), Context::new());
    let tools = client.toolset();
    timeout(LONG, tools.call(&call, &cx)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_lists_and_calls() {
    let server = their_server().await;
    let mut versions = Vec::new();
    for connector in connectors(&server.url) {
        let client = connector.await.unwrap();
        versions.extend(client.protocol().map(str::to_owned));
        assert!(client.notices().is_empty(), "{:?}", client.notices());
        let tools = client.toolset();
        let names: Vec<_> = tools.definitions().map(|def| &*def.name).collect();
        assert_eq!(names, ["echo", "fail", "refuse", "steps", "hangs"]);
        let echo = call(&client, "echo", r#"{"n": 9007199254740993}"#).await;
        assert_eq!(echo.value(), Some(r#"{"n":9007199254740993}"#.into()));
        let failed = call(&client, "fail", "{}").await.outcome.unwrap_err();
        assert_eq!(
            (failed.kind(), &*failed.to_string()),
            (ErrorKind::Failed, "no disk")
        );
        let refused = call(&client, "refuse", "{}").await.outcome.unwrap_err();
        assert!(refused.to_string().contains("not today"), "{refused}");
        client.close().await;
    }
    assert_eq!(versions, ["2026-07-28", "2025-11-25"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_hears_of_progress() {
    let server = their_server().await;
    for connector in connectors(&server.url) {
        let client = connector.await.unwrap();
        let heard = Arc::<Mutex<Vec<_>>>::default();
        let ear = Arc::clone(&heard);
        let executor = Executor::serial(client.toolset()).on_event(move |event| {
            if let Event::Progress { progress, .. } = event {
                ear.lock().unwrap().push((progress.done, progress.total));
            }
        });
        let calls = [ToolCall::new("1", "steps", "{}")];
        let batch = executor.run(&calls, &Context::new()).await;
        assert!(batch.results().all(ToolResult::is_success), "{batch:?}");
        let expected = [1.0, 2.0, 3.0].map(|done| (done, Some(3.0)));
        assert_eq!(*heard.lock().unwrap(), expected);
        client.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_of_our_client_reaches_their_server() {
    let mut server = their_server().await;
    for connector in connectors(&server.url) {
        let client = connector.await.unwrap();
        let stop = Cancel::new();
        let cx = Context::new().with_cancel(stop.clone());
        let executor = Executor::serial(client.toolset());
        let running = tokio::spawn(async move {
            let calls = [ToolCall::new("1", "hangs", "{}")];
            executor.run(&calls, &cx).await
        });
        assert_eq!(next(&mut server.heard).await, "began");
        stop.cancel();
        let result = running.await.unwrap().into_results().next().unwrap();
        assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(next(&mut server.heard).await, "dropped");
        client.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_ends_its_session_and_begins_another_where_it_is_forgotten() {
    let server = their_server().await;
    let (events, mut heard) = mpsc::unbounded_channel();
    let connector = mcp::connect(&*server.url).initialize();
    let connector = connector.on_event(move |event: &ClientEvent| {
        let _ = events.send(format!("{event:?}"));
    });
    let client = connector.await.unwrap();
    assert!(call(&client, "echo", "{}").await.is_success());
    let sessions = &server.sessions.sessions;
    let first: Vec<_> = sessions.read().await.keys().cloned().collect();
    assert_eq!(first.len(), 1);
    sessions.write().await.clear();
    // Whichever notices first, the call or the stream of notifications: the client goes on with a new session.
    let mut answer = call(&client, "echo", "{}").await;
    while !answer.is_success() {
        let error = answer.outcome.unwrap_err();
        assert!(!error.is_outcome_unknown(), "{error:?}");
        next(&mut heard).await;
        answer = call(&client, "echo", "{}").await;
    }
    let second: Vec<_> = sessions.read().await.keys().cloned().collect();
    assert!(second.len() == 1 && second != first, "{first:?} {second:?}");
    client.close().await;
    assert!(sessions.read().await.is_empty());
}
