//! The client and the example `everything` with programs of others between them, which make HTTP of pipes or pipes of HTTP:
//! `tests/outside/mcp_bridges.sh` installs them and runs this.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::{
    Context, Executor, Outcome, ToolCall, ToolError, Toolset,
    call::{Cancel, ErrorKind},
    executor::Event,
};
use toolwright_mcp::{self as mcp, Client, Connector};

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("run tests/outside/mcp_bridges.sh: no {name}"))
}

/// A program of a package, with its arguments.
fn bridge(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(variable("TOOLWRIGHT_NODE"));
    let package = program.split('/').next().unwrap();
    let packages = PathBuf::from(variable("TOOLWRIGHT_BRIDGES"));
    let modules = packages.join(package).join("node_modules");
    command.arg(modules.join(program)).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// A process that ends with its value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A port that nobody listens on.
fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port().to_string()
}

/// Starts a program, and waits until it listens.
fn listening(mut command: Command, port: &str) -> Process {
    let mut process = Process(command.stderr(Stdio::null()).spawn().unwrap());
    let start = Instant::now();
    while TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
        assert_eq!(process.0.try_wait().unwrap(), None, "{command:?}");
        assert!(start.elapsed() < Duration::from_mins(1), "{command:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    process
}

/// `everything` over HTTP.
fn everything(port: &str) -> Process {
    let mut command = Command::new(variable("TOOLWRIGHT_EVERYTHING"));
    command
        .args(["http", "--listen", &format!("127.0.0.1:{port}")])
        .stdin(Stdio::null());
    listening(command, port)
}

async fn call(tools: &Toolset, name: &str, arguments: &str) -> Result<Outcome, ToolError> {
    let call = ToolCall::new("1", name, arguments);
    tools.call(&call, &Context::new()).await.outcome
}

async fn text(tools: &Toolset, name: &str, arguments: &str) -> String {
    let outcome = call(tools, name, arguments).await.unwrap();
    let payload = outcome.payload().unwrap_or_else(|| panic!("{outcome:?}"));
    payload.to_plain().into_owned()
}

/// The features that a program between must not lose, but for those that it does not carry with a version of the protocol.
async fn check(client: &Client, folder: &Path, lost: &[(&str, &str)]) {
    let version = client.protocol().unwrap();
    let carries = |feature| !lost.contains(&(feature, version));
    let tools = client.toolset();
    let names: Vec<_> = tools.definitions().map(|def| &*def.name).collect();
    assert_eq!(names[..2], ["add", "echo"]);
    assert!(client.notices().is_empty(), "{:?}", client.notices());
    assert_eq!(text(&tools, "echo", r#"{"text": "hé\n"}"#).await, "hé\n");
    let optional = call(&tools, "opt", r#"{"name": "a"}"#).await.unwrap();
    let expected = json!({"name": "a", "nick": null, "limit": 10});
    assert_eq!(optional.payload().unwrap().to_value(), expected);
    let error = call(&tools, "fail_secret", "{}").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    let words = error.to_string();
    assert!(words.contains("refused the login"), "{words}");
    if carries("progress") {
        progress(&tools).await;
    }
    if carries("cancel") {
        cancel(&tools, folder).await;
    }
    let big = text(&tools, "big", r#"{"bytes": 4000000}"#).await;
    assert_eq!(big.len(), 4_000_000);

    let calls = (0..60).map(|n| {
        let arguments = json!({"a": n, "b": 1}).to_string();
        ToolCall::new(n.to_string(), "add", arguments)
    });
    let calls: Vec<_> = calls.collect();
    let executor = Executor::parallel(tools, 60);
    let batch = executor.run(&calls, &Context::new()).await;
    let sums = batch.results().map(|result| {
        let outcome = result.outcome.as_ref().unwrap();
        outcome.payload().unwrap().to_plain().into_owned()
    });
    let expected: Vec<_> = (1..=60).map(|n| n.to_string()).collect();
    assert_eq!(sums.collect::<Vec<_>>(), expected);
}

async fn progress(tools: &Toolset) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let executor = Executor::parallel(tools.clone(), 4).on_event(move |event| {
        if let Event::Progress { progress, .. } = event {
            ear.lock().unwrap().push(progress.done);
        }
    });
    let call = ToolCall::new("1", "test_tool_with_progress", "{}");
    let batch = executor.run(&[call], &Context::new()).await;
    assert!(batch.results().all(toolwright::ToolResult::is_success));
    assert_eq!(*heard.lock().unwrap(), [0.0, 50.0, 100.0]);
}

/// A file that grows for 20 s stops growing.
async fn cancel(tools: &Toolset, folder: &Path) {
    let path = folder.join("lines");
    let lines = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let arguments = json!({"path": path, "lines": 200}).to_string();
    let calls = [ToolCall::new("1", "append_slow", arguments)];
    let executor = Executor::parallel(tools.clone(), 4);
    let (batch, ()) = tokio::join!(executor.run(&calls, &cx), async {
        while lines() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    });
    let error = batch.results().next().unwrap().outcome.as_ref();
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Cancelled);
    let mut before = None;
    while before != Some(lines()) {
        before = Some(lines());
        assert!(before < Some(100), "the call was not cancelled");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    fs::remove_file(&path).unwrap();
}

/// Calls until an answer comes: what lies between may need a moment to see that a server is another one.
async fn answers_again(client: &Client) {
    let start = Instant::now();
    loop {
        match call(&client.toolset(), "add", r#"{"a": 1, "b": 2}"#).await {
            Ok(outcome) => return assert_eq!(outcome.payload().unwrap().to_plain(), "3"),
            Err(error) => assert!(start.elapsed() < Duration::from_secs(20), "{error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("toolwright-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn both(connector: impl Fn() -> Connector) -> [Connector; 2] {
    [connector(), connector().initialize()]
}

/// A program that a client starts, with `everything` behind a URL.
async fn over_pipes(name: &str, program: &str, arguments: &[&str], lost: &[(&str, &str)]) {
    let port = free_port();
    let mut server = Some(everything(&port));
    let url = format!("http://127.0.0.1:{port}/mcp");
    let folder = folder(name);
    let pid = folder.join("pid");
    let command = || {
        // Says which process it is, so that it can be killed.
        let program = bridge(program, &[arguments, &[&url]].concat());
        let mut command = Command::new("sh");
        command
            .args(["-c", r#"echo $$ >"$0"; exec "$@""#])
            .arg(&pid)
            .arg(program.get_program())
            .args(program.get_args())
            .env("MCP_REMOTE_CONFIG_DIR", &folder);
        command
    };
    for connector in both(|| mcp::connect(command())) {
        let client = connector.await.unwrap();
        check(&client, &folder, lost).await;
        let killed = fs::read_to_string(&pid).unwrap();
        let kill = Command::new("kill").args(["-9", killed.trim()]).status();
        assert!(kill.unwrap().success());
        answers_again(&client).await;
        assert_ne!(fs::read_to_string(&pid).unwrap(), killed);
        if !lost.contains(&("restart", client.protocol().unwrap())) {
            // Another server, which does not know the sessions of the first.
            drop(server.take());
            server = Some(everything(&port));
            answers_again(&client).await;
        }
        client.close().await;
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// A program with a URL, with `everything` as its process.
async fn over_http(
    name: &str,
    program: &str,
    arguments: impl Fn(&str) -> Vec<String>,
    lost: &[(&str, &str)],
) {
    let port = free_port();
    let folder = folder(name);
    let start = || {
        let arguments = arguments(&port);
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        listening(bridge(program, &arguments), &port)
    };
    let mut process = Some(start());
    for connector in both(|| mcp::connect(format!("http://127.0.0.1:{port}/mcp"))) {
        let client = connector.await.unwrap();
        check(&client, &folder, lost).await;
        drop(process.take());
        process = Some(start());
        answers_again(&client).await;
        client.close().await;
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn mcp_remote() {
    // It sends a cancellation as a message of its own, which HTTP of 2026-07-28 does not have.
    let lost = [("cancel", "2026-07-28")];
    over_pipes("mcp-remote", "mcp-remote/dist/proxy.js", &[], &lost).await;
}

#[tokio::test]
async fn supergateway_over_pipes() {
    let arguments = ["--logLevel", "none", "--streamableHttp"];
    // It passes on requests and their answers, and holds on to a session that is over.
    let lost = ["progress", "cancel", "restart"].map(|feature| (feature, "2025-11-25"));
    over_pipes("supergateway", SUPERGATEWAY, &arguments, &lost).await;
}

const SUPERGATEWAY: &str = "supergateway/dist/index.js";

fn supergateway(port: &str, more: &[&str]) -> Vec<String> {
    let server = format!("{} stdio", variable("TOOLWRIGHT_EVERYTHING"));
    let arguments = ["--stdio", &server, "--outputTransport", "streamableHttp"];
    let arguments = [
        &arguments[..],
        &["--logLevel", "none", "--port", port],
        more,
    ]
    .concat();
    arguments.into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn supergateway_without_sessions() {
    // Each message of 2025 goes to a process of its own.
    let lost = [("cancel", "2025-11-25")];
    let arguments = |port: &str| supergateway(port, &[]);
    over_http("stateless", SUPERGATEWAY, arguments, &lost).await;
}

#[tokio::test]
async fn supergateway_with_sessions() {
    let arguments = |port: &str| supergateway(port, &["--stateful"]);
    over_http("stateful", SUPERGATEWAY, arguments, &[]).await;
}

#[tokio::test]
async fn mcp_proxy() {
    let program = "mcp-proxy/dist/bin/mcp-proxy.mjs";
    let arguments = |port: &str| {
        let everything = variable("TOOLWRIGHT_EVERYTHING");
        let arguments = [
            "--port",
            port,
            "--host",
            "127.0.0.1",
            "--",
            &everything,
            "stdio",
        ];
        arguments.map(str::to_owned).to_vec()
    };
    over_http("mcp-proxy", program, arguments, &[]).await;
}
