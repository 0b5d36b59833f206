//! Our client with our server: what goes in at one end comes out at the other, over a process and over
//! HTTP.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::mcp_server::{Piped, request};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::mcp::{
    self, Client, ClientEvent, ConnectErrorKind, Connector, ElicitResult, McpServer, ServerAt,
};
use toolwright::serve::axum::{self, Router, extract::Request};
use toolwright::{
    Context, DynTool, Executor, Outcome, Registry, Schema, Tool, ToolCall, ToolError, ToolResult,
    Toolset, Wire,
    call::{Block, Cancel, Content, ErrorKind, Progress},
    executor::Event,
    tool, tools,
};
use tower_service::Service;

/// What the weather is.
#[derive(Serialize, Schema)]
struct Weather {
    sun: bool,
    degrees: i64,
}

/// Tells the weather.
#[tool(read_only, open_world = false, title = "The weather")]
fn forecast(
    /// Where
    city: &str,
    #[arg(range(1..=9))] days: Option<u8>,
) -> Result<Weather, ToolError> {
    match city {
        "Atlantis" => Err(ToolError::failed("no such city")),
        _ => Ok(Weather {
            sun: true,
            degrees: i64::MAX - i64::from(days.unwrap_or(0)),
        }),
    }
}

/// Counts.
#[tool]
fn count(n: u64) -> u64 {
    assert!(!n.is_multiple_of(3), "a third panics");
    n
}

/// Takes its time.
#[tool]
async fn steps(#[context] cx: &Context, last: u32) -> u32 {
    for step in 1..=last {
        cx.progress(Progress::new(step.into()).with_total(last.into()));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    last
}

/// Never ends.
#[tool]
async fn hangs() -> u8 {
    let _end = End;
    eprintln!("hangs");
    std::future::pending().await
}

/// Says when a call of `hangs` is over.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        eprintln!("cancelled");
    }
}

/// Asks.
#[tool]
fn asks() -> Outcome {
    Outcome::ask("Which city?").option("choices", ["Oslo", "Rome"])
}

/// A picture.
#[tool]
fn chart() -> Content {
    Content::text("See:")
        .image("image/png", "iVBORw0KGgo=")
        .with(Block::Resource {
            uri: "file:///chart.csv".to_owned(),
            mime_type: Some("text/csv".to_owned()),
        })
}

/// The arguments' text, which nobody reads as anything else.
fn echo() -> Arc<dyn Tool> {
    let any = toolwright::schema::SchemaDoc::parse(r#"{"type":"object"}"#).unwrap();
    DynTool::builder()
        .name("echo")
        .description("Repeats.")
        .parameters(any)
        .meta("example.com/price", 3)
        .meta("icons", json!([{"src": "https://example.com/i.png"}]))
        .handler_sync(|raw: Box<RawValue>, _| Ok::<_, ToolError>(raw.get().to_owned()))
        .build()
        .unwrap()
}

/// Puts a tool called `later` into the server's registry.
fn grow(registry: &Registry) -> Arc<dyn Tool> {
    let registry = registry.clone();
    DynTool::builder()
        .name("grow")
        .description("Makes a tool.")
        .handler_sync(move |_: Value, _| {
            let mut def = echo().def().clone();
            def.name = "later".into();
            registry.insert(DynTool::declare(def));
            Ok::<_, ToolError>("grown")
        })
        .build()
        .unwrap()
}

fn own() -> Toolset {
    tools![forecast, count, steps, hangs, asks, chart].with(echo())
}

fn server() -> McpServer {
    let registry = Registry::from(own());
    registry.insert(grow(&registry));
    McpServer::new(registry)
        .name("own")
        .version("3")
        .page_size(3)
}

/// Not a test: the server's process, when it is started as one.
#[tokio::test(flavor = "multi_thread")]
async fn own_server() {
    if std::env::var_os("MCP_OWN").is_some() {
        server().serve_stdio().await.unwrap();
        std::process::exit(0);
    }
}

fn process() -> Connector {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["mcp_own::own_server", "--exact", "--nocapture", "--quiet"])
        .env("MCP_OWN", "1");
    mcp::connect(command)
}

/// A server on a port of its own, for as long as it is held.
pub(crate) struct Listening {
    address: SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen() -> Listening {
    listen_to(server()).await
}

pub(crate) async fn listen_to(server: McpServer) -> Listening {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route_service("/mcp", server.http());
    let task = tokio::spawn(async move {
        toolwright::serve::axum::serve(listener, router)
            .await
            .unwrap();
    });
    Listening { address, task }
}

impl Listening {
    pub(crate) fn connector(&self) -> Connector {
        mcp::connect(format!("http://{}/mcp", self.address))
    }
}

pub(crate) async fn call(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    let call = ToolCall::new("call_1", name, arguments);
    tools.call(&call, &Context::new()).await
}

async fn all(connector: impl Fn() -> Connector) {
    let ask = |question: mcp::Elicitation| async move {
        assert_eq!(
            (&*question.server, &*question.message),
            ("own", "Which city?")
        );
        ElicitResult::Accept(json!({"answer": "Rome"}).as_object().cloned().unwrap())
    };
    let told = Arc::<Mutex<Vec<ClientEvent>>>::default();
    let ear = Arc::clone(&told);
    let client = connector()
        .on_elicitation(ask)
        .on_event(move |event| ear.lock().unwrap().push(event.clone()));
    let client = client.await.unwrap();
    assert_eq!(
        (client.server_name(), client.server_version()),
        (Some("own"), Some("3"))
    );
    definitions(&client);
    answers(&client).await;
    progress_and_cancellation(&client).await;
    assert!(call(&client.toolset(), "grow", "{}").await.is_success());
    for _ in 0..2_000 {
        if client.toolset().get("later").is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(
        client.toolset().get("later").is_some(),
        "{:?}",
        told.lock().unwrap()
    );
    client.close().await;
}

fn definitions(client: &Client) {
    assert!(client.notices().is_empty(), "{:?}", client.notices());
    let (here, there) = (client.toolset(), own());
    let told: Vec<Value> = serde_json::from_str(&Wire::Mcp.definitions(&there)).unwrap();
    let schema = |name: &str| {
        let told = told.iter().find(|told| told["name"] == name);
        told.map(|told| told["inputSchema"].clone())
    };
    for theirs in there.definitions() {
        let ours = here
            .get(&theirs.name)
            .unwrap_or_else(|| panic!("no {}", theirs.name))
            .def();
        assert_eq!(Some(ours.input.to_value()), schema(&theirs.name));
        assert_eq!(
            (&ours.title, &ours.description),
            (&theirs.title, &theirs.description)
        );
        // Hints that a server gives lessen no caution.
        assert_eq!(
            ours.options.annotations.destructive,
            Some(true),
            "{}",
            theirs.name
        );
        assert!(!ours.options.annotations.may_repeat(), "{}", theirs.name);
        assert_eq!(ours.meta, theirs.meta, "{}", theirs.name);
    }
    let output = here.get("forecast").unwrap().def().output.as_ref().unwrap();
    assert!(output.as_json().contains("degrees"), "{output:?}");
}

async fn answers(client: &Client) {
    let tools = client.toolset();
    let exact = r#"{ "n": 123456789012345678901234567890, "z": 1.10 }"#;
    let said = call(&tools, "echo", exact).await;
    assert_eq!(said.value(), Some(exact.into()), "{said:?}");
    let sun = call(&tools, "forecast", r#"{"city": "Oslo", "days": 7}"#).await;
    let sun = sun
        .outcome
        .unwrap()
        .payload()
        .unwrap()
        .to_json()
        .into_owned();
    assert!(sun.contains(&(i64::MAX - 7).to_string()), "{sun}");

    for (arguments, kind, says) in [
        (r#"{"city": "Atlantis"}"#, ErrorKind::Failed, "no such city"),
        (
            r#"{"city": "Oslo", "days": 10}"#,
            ErrorKind::InvalidArgs,
            "days: ",
        ),
        (
            r#"{"town": "Oslo"}"#,
            ErrorKind::InvalidArgs,
            "city: missing",
        ),
    ] {
        let error = call(&tools, "forecast", arguments)
            .await
            .outcome
            .unwrap_err();
        assert_eq!(error.kind(), kind, "{error:?}");
        assert!(error.to_string().contains(says), "{error:?}");
    }
    let panicked = call(&tools, "count", r#"{"n": 3}"#)
        .await
        .outcome
        .unwrap_err();
    assert_eq!(panicked.kind(), ErrorKind::Failed);
    assert!(!panicked.to_string().contains("a third"), "{panicked}");
    let content = call(&tools, "chart", "{}").await.outcome.unwrap();
    assert_eq!(content, Outcome::Content(chart()));
    let asked = call(&tools, "asks", "{}").await;
    assert!(format!("{:?}", asked.outcome).contains("Rome"), "{asked:?}");
}

async fn progress_and_cancellation(client: &Client) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let executor = Executor::parallel(client.toolset(), 4).on_event(move |event| {
        if let Event::Progress { progress, .. } = event {
            ear.lock().unwrap().push((progress.done, progress.total));
        }
    });
    let steps = ToolCall::new("1", "steps", r#"{"last": 3}"#);
    let batch = executor.run(&[steps], &Context::new()).await;
    assert!(batch.results().all(ToolResult::is_success), "{batch:?}");
    let expected = [1.0, 2.0, 3.0].map(|done| (done, Some(3.0)));
    assert_eq!(*heard.lock().unwrap(), expected);

    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let hangs = [ToolCall::new("2", "hangs", "{}")];
    let (batch, ()) = tokio::join!(executor.run(&hangs, &cx), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
    });
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn over_a_process() {
    all(process).await;
    all(|| process().initialize()).await;
}

/// The server did not read the call, so it is sent again, whatever the tool does.
#[tokio::test]
async fn a_call_with_an_effect_reaches_a_server_that_was_started_again() {
    let service = Arc::new(Mutex::new(server().http()));
    let now = Arc::clone(&service);
    let router = Router::new().fallback(move |request: Request| {
        let mut now = now.lock().unwrap().clone();
        async move { now.call(request).await }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let client = mcp::connect(format!("http://{address}/mcp")).initialize();
    let client = client.await.unwrap();
    for _ in 0..2 {
        let counted = call(&client.toolset(), "count", r#"{"n": 2}"#).await;
        assert!(counted.outcome.is_ok(), "{counted:?}");
        *service.lock().unwrap() = server().http();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http() {
    let listening = listen().await;
    all(|| listening.connector()).await;
    all(|| listening.connector().initialize()).await;
}

fn pipes(server: impl Fn() -> McpServer + Send + Sync + 'static) -> ServerAt {
    ServerAt::pipes(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(server().serve_pipe(input, output));
        Ok(tokio::io::split(ours))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn over_pipes() {
    all(|| mcp::connect(pipes(server))).await;
    all(|| mcp::connect(pipes(server)).initialize()).await;
}

/// Orders something.
#[tool(was("place_order"))]
fn create_order(#[arg(was = "qty")] quantity: u32) -> u32 {
    quantity
}

/// A list says old names of arguments. So the client, which reads arguments before it sends them, knows a call that was stored
/// before the server changed.
#[tokio::test]
async fn a_call_by_old_names_reaches_the_server() {
    let client = mcp::connect(pipes(|| McpServer::new(tools![create_order]).name("own")));
    let client = client.await.unwrap();
    let tools = client.toolset();
    let result = call(&tools, "create_order", r#"{"qty": 2}"#).await;
    assert_eq!(result.value(), Some(2.into()));
    assert_eq!(
        result.repairs[0].to_string(),
        "quantity: qty was taken for quantity"
    );
    let result = call(&tools, "create_order", r#"{"qty": 2, "quantity": 3}"#).await;
    let error = result.outcome.unwrap_err();
    assert_eq!(error.to_string(), "quantity: given more than once");
    // A server says no old names of tools: a call of a tool of ours that is gone must not go to it.
    assert!(tools.get("place_order").is_none());
    // The server itself knows them, for clients with a list of then.
    let asked = json!({"name": "place_order", "arguments": {"qty": 2}}).to_string();
    let mut piped = Piped::new(McpServer::new(tools![create_order])).await;
    let answer = piped.ask(&request(1, "tools/call", &asked)).await;
    assert_eq!(answer["result"]["isError"], Value::Null, "{answer}");
    let repairs = &answer["result"]["_meta"]["toolwright/repairs"];
    assert_eq!(repairs[0]["kind"], "old_name", "{answer}");
    client.close().await;
}

#[tokio::test]
async fn pipes_are_opened_again_when_the_server_ends() {
    let (stop, opened) = (Cancel::new(), Arc::<AtomicU32>::default());
    let (first, times) = (stop.clone(), Arc::clone(&opened));
    let at = pipes(move || match times.fetch_add(1, Ordering::Relaxed) {
        0 => server().stopped_by(first.clone()),
        _ => server(),
    });
    let client = mcp::connect(at).backoff(Duration::from_millis(1), Duration::from_millis(1));
    let client = client.await.unwrap();
    let tools = client.toolset();
    assert!(call(&tools, "count", r#"{"n": 1}"#).await.is_success());
    stop.cancel();
    let again = async {
        while opened.load(Ordering::Relaxed) < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), again)
        .await
        .unwrap();
    assert!(call(&tools, "count", r#"{"n": 2}"#).await.is_success());
}

#[tokio::test]
async fn pipes_that_cannot_be_opened_are_an_error_in_words() {
    type Pipes = std::io::Result<(tokio::io::Empty, tokio::io::Sink)>;
    let at = ServerAt::pipes(|| -> Pipes { Err(std::io::Error::other("the tunnel is down")) });
    let error = mcp::connect(at).await.unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Start);
    let words = error.to_string();
    assert!(
        words.contains("the pipes to the server could not be opened: the tunnel is down"),
        "{words}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cancellation_reaches_the_tool() {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let ear = Arc::clone(&told);
    let client = process().on_event(move |event| {
        if let ClientEvent::Stderr(line) = event {
            ear.lock().unwrap().push(line.clone());
        }
    });
    let client = client.await.unwrap();
    let tools = client.toolset();
    let wait = |line: &'static str| {
        let told = Arc::clone(&told);
        async move {
            for _ in 0..2_000 {
                if told.lock().unwrap().iter().any(|told| told == line) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            panic!("no {line:?} in {:?}", told.lock().unwrap());
        }
    };
    tokio::select! {
        _ = call(&tools, "hangs", "{}") => panic!("it ended"),
        () = wait("hangs") => {}
    }
    wait("cancelled").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_thousand_calls_in_flight_are_answered_once_each() {
    let client = process()
        .idle_timeout(Duration::from_mins(5))
        .await
        .unwrap();
    let tools = client.toolset();
    let calls = (0..3_000_u64).map(|n| {
        let tools = tools.clone();
        async move {
            let result = call(&tools, "count", &format!(r#"{{"n": {n}}}"#)).await;
            match result.outcome {
                Ok(outcome) => {
                    assert_eq!(outcome.payload().unwrap().to_plain(), n.to_string());
                    1
                }
                Err(error) => {
                    assert_eq!((n % 3, error.kind()), (0, ErrorKind::Failed), "{error:?}");
                    0
                }
            }
        }
    });
    let answered: u32 = futures_util::future::join_all(calls)
        .await
        .into_iter()
        .sum();
    assert_eq!(answered, 2_000);
}
