//! Our MCP server under load, in a process of its own whose memory is looked at:
//! `tests/outside/mcp_load.sh` runs it.
#![cfg(target_os = "linux")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};
use toolwright::serve::axum::Router;
use toolwright::serve::axum::serve::ListenerExt;
use toolwright::serve::mcp::{self, Server};
use toolwright::{Context, ToolCall, tool, tools};

const MIB: usize = 1024 * 1024;

/// What the server takes for one message, if nothing is said.
const LIMIT: usize = 16 * MIB;

/// Adds.
#[tool(read_only)]
fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// Not a test: the server's process, when it is started as one.
#[tokio::test(flavor = "multi_thread")]
async fn load_server() {
    let server = Server::new(tools![add]);
    match std::env::var("MCP_LOAD").as_deref() {
        Ok("stdio") => server.serve_stdio().await.unwrap(),
        Ok("http") => {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            eprintln!("listening on http://{}/mcp", listener.local_addr().unwrap());
            // An answer that is a stream goes out in pieces, which TCP would hold back until the one before
            // has arrived: 40 ms a call.
            let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
            let router = Router::new().route_service("/mcp", server.http());
            toolwright::serve::axum::serve(listener, router)
                .await
                .unwrap();
        }
        _ => return,
    }
    std::process::exit(0);
}

fn command(how: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["load_server", "--exact", "--nocapture", "--quiet"])
        .env("MCP_LOAD", how);
    command
}

/// A server that listens, for as long as it is held.
struct Listening {
    process: Child,
    url: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Listening {
    fn start() -> Self {
        let mut command = command("http");
        // What is freed goes back to the system, so that what does not is held.
        command
            .env("MALLOC_ARENA_MAX", "1")
            .env("MALLOC_TRIM_THRESHOLD_", "65536");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let url = lines.find_map(|line| {
            let line = line.unwrap();
            line.strip_prefix("listening on ").map(str::to_owned)
        });
        // What it says later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            process,
            url: url.unwrap(),
        }
    }

    fn mebibytes(&self, of: &str) -> usize {
        mebibytes(&self.process, of)
    }
}

/// What the kernel says of a process's memory: `VmRSS` now, `VmHWM` at most.
fn mebibytes(process: &Child, of: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with(of)).unwrap();
    let kibibytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kibibytes / 1024
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "load", "version": "1"},
    }})
}

fn post(
    http: &reqwest::Client,
    url: &str,
    body: impl Into<reqwest::Body>,
) -> reqwest::RequestBuilder {
    http.post(url)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(body)
}

/// A session that only listens, and its id.
async fn idle(
    http: &reqwest::Client,
    url: &str,
) -> (reqwest::Response, reqwest::header::HeaderValue) {
    let said = post(http, url, hello().to_string()).send().await.unwrap();
    assert!(said.status().is_success(), "{said:?}");
    let session = said.headers()["mcp-session-id"].clone();
    said.bytes().await.unwrap();
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let ready = post(http, url, ready).header("mcp-session-id", &session);
    let ready = ready.send().await.unwrap();
    assert!(ready.status().is_success(), "{ready:?}");
    let listening = http
        .get(url)
        .header("accept", "text/event-stream")
        .header("mcp-session-id", &session);
    let listening = listening.send().await.unwrap();
    assert!(listening.status().is_success(), "{listening:?}");
    (listening, session)
}

/// So many calls, 64 at once, each with its own answer; how many a second.
async fn calls(client: &mcp::Client, number: u64) -> f64 {
    let (tools, cx, begun) = (client.toolset(), Context::new(), Instant::now());
    let calls = stream::iter(0..number).map(|n| {
        let (tools, cx) = (&tools, &cx);
        async move {
            let call = ToolCall::new("1", "add", format!(r#"{{"a": {n}, "b": 1}}"#));
            let result = tools.call(&call, cx).await;
            let said = result.outcome.unwrap();
            assert_eq!(said.payload().unwrap().to_plain(), (n + 1).to_string());
        }
    });
    let answered = calls.buffer_unordered(64).count().await;
    assert_eq!(answered as u64, number);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let number = number as f64;
    number / begun.elapsed().as_secs_f64()
}

/// Opens so many sessions that listen, does something beside them, and ends them.
async fn beside_idle<T>(server: &Listening, sessions: usize, work: impl Future<Output = T>) -> T {
    let http = reqwest::Client::new();
    let opened = stream::iter(0..sessions).map(|_| idle(&http, &server.url));
    let opened: Vec<_> = opened.buffer_unordered(16).collect().await;
    assert_eq!(opened.len(), sessions);
    let done = work.await;
    for (listening, session) in opened {
        let end = http.delete(&server.url).header("mcp-session-id", session);
        assert!(end.send().await.unwrap().status().is_success());
        drop(listening);
    }
    done
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time: tests/outside/mcp_load.sh"]
async fn idle_connections_do_not_hold_up_calls_and_memory_comes_back() {
    let server = Listening::start();
    let client = mcp::connect(&*server.url).await.unwrap();
    let alone = calls(&client, 200).await;
    println!(
        "over HTTP {alone:.0} calls a second, {} MiB",
        server.mebibytes("VmRSS")
    );
    // The first times fill what the process keeps for later; more of them than these change nothing.
    for _ in 0..2 {
        beside_idle(&server, 500, async {}).await;
    }
    let before = server.mebibytes("VmRSS");
    let rate = beside_idle(&server, 500, calls(&client, 2_000)).await;
    client.close().await;
    let after = server.mebibytes("VmRSS");
    println!("beside idle ones {rate:.0}; {before} MiB before, {after} after");
    assert!(
        after < before + 32,
        "{before} MiB before, {after} MiB after"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time: tests/outside/mcp_load.sh"]
async fn calls_over_a_pipe() {
    let client = mcp::connect(command("stdio")).await.unwrap();
    let rate = calls(&client, 2_000).await;
    println!("over a pipe {rate:.0} calls a second");
    client.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time: tests/outside/mcp_load.sh"]
async fn a_body_of_128_mib_is_refused_in_less_than_three_times_the_limit() {
    let server = Listening::start();
    let http = reqwest::Client::new();
    let part = || Ok::<_, std::io::Error>(vec![b'x'; MIB]);
    // Its length is not announced.
    let endless = reqwest::Body::wrap_stream(stream::iter((0..128).map(move |_| part())));
    if let Ok(refused) = post(&http, &server.url, endless).send().await {
        assert!(refused.status().is_client_error(), "{refused:?}");
    }
    if let Ok(refused) = post(&http, &server.url, vec![b'x'; 128 * MIB]).send().await {
        assert!(refused.status().is_client_error(), "{refused:?}");
    }
    let client = mcp::connect(&*server.url).await.unwrap();
    calls(&client, 10).await;
    let peak = server.mebibytes("VmHWM");
    println!("a body: {peak} MiB at most");
    assert!(peak * MIB < 3 * LIMIT, "{peak} MiB");
}

#[test]
#[ignore = "takes its time: tests/outside/mcp_load.sh"]
fn a_line_of_128_mib_is_refused_in_less_than_three_times_the_limit() {
    let mut command = command("stdio");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.stderr(Stdio::null()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    input
        .write_all(br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":""#)
        .unwrap();
    let part = vec![b'x'; MIB];
    for _ in 0..128 {
        input.write_all(&part).unwrap();
    }
    input.write_all(b"\"}}\n").unwrap();
    writeln!(input, "{}", hello()).unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let greeted = lines.find_map(|line| {
        let message: Value = serde_json::from_str(&line.unwrap()).ok()?;
        message["result"]["serverInfo"]
            .is_object()
            .then_some(message)
    });
    assert_eq!(greeted.unwrap()["id"], 1);
    let peak = mebibytes(&server, "VmHWM");
    println!("a line: {peak} MiB at most");
    drop(input);
    let mut rest = String::new();
    lines.for_each(|line| rest.push_str(&line.unwrap()));
    server.wait().unwrap();
    assert!(peak * MIB < 3 * LIMIT, "{peak} MiB");
}
