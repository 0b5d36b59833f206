//! Our MCP server under load, in a process of its own whose memory is looked at:
//! `tests/outside/mcp_load.sh` runs it. A program of its own: a larger one takes more memory before it begins.
#![cfg(target_os = "linux")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};
use toolwright::mcp::{self, McpServer};
use toolwright::serve::Serve;
use toolwright::serve::axum::Router;
use toolwright::serve::axum::serve::ListenerExt;
use toolwright::{Context, ToolCall, ToolResult, call::Cancel, tool, tools};

const MIB: usize = 1024 * 1024;

/// What the server takes for one message, if nothing is said.
const LIMIT: usize = 16 * MIB;

/// Adds.
#[tool(read_only)]
fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// Waits until a file is there.
#[tool(blocking, read_only)]
fn wait_for_file(path: &Path) {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Answers with so many bytes.
#[tool(read_only)]
fn big(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// Not a test: the program of these tools, when it is started as one.
#[test]
fn load_program() -> ExitCode {
    let Ok(words) = std::env::var("MCP_PROGRAM") else {
        return ExitCode::SUCCESS;
    };
    let words = std::iter::once("load").chain(words.split(' '));
    Serve::new(tools![add, big, wait_for_file])
        .executor(|executor| executor.timeout(Duration::from_secs(4)))
        .run_with(words)
}

fn program(words: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["load_program", "--exact", "--nocapture", "--quiet"])
        .env("MCP_PROGRAM", words);
    command
}

/// Not a test: the server's process, when it is started as one.
#[tokio::test(flavor = "multi_thread")]
async fn load_server() {
    let server = McpServer::new(tools![add]);
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
        // It may have ended.
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }
}

impl Listening {
    fn start() -> Self {
        Self::by(command("http"))
    }

    fn by(mut command: Command) -> Self {
        // What is freed goes back to the system, so that what does not is held.
        command
            .env("MALLOC_ARENA_MAX", "1")
            .env("MALLOC_TRIM_THRESHOLD_", "65536");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let url = lines.find_map(|line| {
            let line = line.unwrap();
            let url = line.strip_prefix("listening on ")?;
            Some(format!("{}/mcp", url.trim_end_matches("/mcp")))
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
async fn calls_over_a_pipe() {
    let client = mcp::connect(command("stdio")).await.unwrap();
    let rate = calls(&client, 2_000).await;
    println!("over a pipe {rate:.0} calls a second");
    client.close().await;
}

#[tokio::test(flavor = "multi_thread")]
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

const LONG: Duration = Duration::from_secs(30);

/// More than the threads of a runtime that may be blocked.
const STUCK: usize = 600;

/// As many bodies that block as an executor runs at once.
const MOST_STUCK: usize = 256;

/// Until the process has ended by itself.
fn ended(process: &mut Child) -> Duration {
    let since = Instant::now();
    while process.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < LONG, "the process does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(process.wait().unwrap().success());
    since.elapsed()
}

fn terminate(process: &Child) {
    let mut kill = Command::new("kill");
    let killed = kill.args(["-TERM", &process.id().to_string()]).status();
    assert!(killed.unwrap().success());
}

/// A server on pipes, and the messages that it sends.
struct Piped {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
}

impl Drop for Piped {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }
}

impl Piped {
    /// One that is greeted. From then on nothing is read before `hear`.
    fn start(mut command: Command) -> (Self, BufReader<std::process::ChildStdout>) {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::null()).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut input = process.stdin.take().unwrap();
        writeln!(input, "{}", hello()).unwrap();
        let mut line = String::new();
        while !line.contains("serverInfo") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0);
        }
        let piped = Self {
            process,
            input: Some(input),
            messages: channel().1,
        };
        (piped, output)
    }

    fn read(&mut self, output: BufReader<std::process::ChildStdout>) {
        let (tell, messages) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // The program is a test, which says more.
                if let Ok(message) = serde_json::from_str(&line) {
                    let _ = tell.send(message);
                }
            }
        });
        self.messages = messages;
    }

    fn say(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
    }

    fn hear(&self) -> Value {
        self.messages.recv_timeout(LONG).expect("nothing is said")
    }
}

fn request(id: usize, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call(id: usize, name: &str, arguments: &Value) -> Value {
    request(
        id,
        "tools/call",
        &json!({"name": name, "arguments": arguments}),
    )
}

/// How often calls came to what they came to, by the start of what they say.
fn counted(texts: impl IntoIterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for text in texts {
        let start = text.chars().take(22).collect();
        *counted.entry(start).or_default() += 1;
    }
    counted
}

#[test]
fn calls_that_never_end_do_not_hold_up_a_server_on_pipes() {
    let (mut server, output) = Piped::start(program("mcp"));
    server.read(output);
    for id in 0..STUCK {
        server.say(&call(
            id,
            "wait_for_file",
            &json!({"path": "/no/such/file"}),
        ));
    }
    let gone = json!({"requestId": 0});
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": gone}));
    let since = Instant::now();
    server.say(&request(1_000, "ping", &json!({})));
    server.say(&call(1_001, "add", &json!({"a": 1, "b": 2})));
    let (mut texts, mut first) = (BTreeMap::new(), Vec::new());
    while texts.len() < STUCK - 1 || first.len() < 2 {
        let message = server.hear();
        let id = usize::try_from(message["id"].as_u64().unwrap()).unwrap();
        let text = message["result"]["content"][0]["text"].clone();
        if id >= 1_000 {
            // Before the first call that takes too long is over.
            assert!(texts.values().all(|text: &String| !text.contains("within")));
            first.push(id);
            println!("{id} after {:?}", since.elapsed());
        } else {
            let before = texts.insert(id, text.as_str().unwrap().to_owned());
            assert_eq!(before, None, "{id}");
        }
    }
    assert!(!texts.contains_key(&0), "it was cancelled");
    let counted = counted(texts.into_values());
    let late = counted["the tool did not answe"];
    assert!((MOST_STUCK - 1..=MOST_STUCK).contains(&late), "{counted:?}");
    assert_eq!(counted["the call did not start"], STUCK - 1 - late);
    server.say(&call(1_002, "add", &json!({"a": 1, "b": 2})));
    assert_eq!(server.hear()["id"], 1_002);
    // All are still stuck.
    terminate(&server.process);
    println!("ended after {:?}", ended(&mut server.process));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_never_end_do_not_hold_up_a_server_over_http() {
    let mut server = Listening::by(program("serve --listen 127.0.0.1:0"));
    let client = mcp::connect(&*server.url).await.unwrap();
    let (tools, stop) = (client.toolset(), Cancel::new());
    let calls = (0..STUCK).map(|n| {
        let cx = if n == 0 {
            Context::new().with_cancel(stop.clone())
        } else {
            Context::new()
        };
        let tools = tools.clone();
        tokio::spawn(async move {
            let path = r#"{"path": "/no/such/file"}"#;
            let call = ToolCall::new("1", "wait_for_file", path);
            tools.call(&call, &cx).await
        })
    });
    let calls: Vec<_> = calls.collect();
    let since = Instant::now();
    let http = reqwest::Client::new();
    let (listening, session) = idle(&http, &server.url).await;
    let ping = request(7, "ping", &json!({})).to_string();
    let ping = post(&http, &server.url, ping).header("mcp-session-id", session);
    assert!(ping.send().await.unwrap().status().is_success());
    println!("a session and a ping after {:?}", since.elapsed());
    stop.cancel();
    let mut texts = Vec::new();
    for (n, call) in calls.into_iter().enumerate() {
        let result: ToolResult = call.await.unwrap();
        let error = result.outcome.unwrap_err().to_string();
        if n == 0 {
            assert!(error.starts_with("the call was cancelled"), "{error}");
        } else {
            texts.push(error);
        }
    }
    let counted = counted(texts);
    let late = counted["the tool did not answe"];
    assert!((MOST_STUCK - 1..=MOST_STUCK).contains(&late), "{counted:?}");
    assert_eq!(counted["the call did not start"], STUCK - 1 - late);
    calls_of_add(&client).await;
    client.close().await;
    drop(listening);
    terminate(&server.process);
    println!("ended after {:?}", ended(&mut server.process));
}

async fn calls_of_add(client: &mcp::Client) {
    assert!(calls(client, 10).await > 0.0);
}

/// Waits until a process does nothing any more.
fn at_rest(process: &Child) {
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
        let behind = stat.rsplit_once(')').unwrap().1;
        let ticks = behind.split_whitespace().skip(11).take(2);
        ticks
            .map(|ticks| ticks.parse::<u64>().unwrap())
            .sum::<u64>()
    };
    let (mut last, mut same) = (ticks(), 0);
    while same < 20 {
        std::thread::sleep(Duration::from_millis(20));
        let now = ticks();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
}

#[test]
fn answers_that_a_client_does_not_read_are_made_when_it_reads() {
    const CALLS: usize = 200;
    let (mut server, output) = Piped::start(program("mcp"));
    let mut input = server.input.take().unwrap();
    // It may have to wait for the server, as the server does for who reads.
    let writer = std::thread::spawn(move || {
        for id in 0..CALLS {
            let call = call(id, "big", &json!({"bytes": MIB}));
            writeln!(input, "{call}").unwrap();
        }
        input
    });
    at_rest(&server.process);
    let unread = mebibytes(&server.process, "VmHWM");
    server.read(output);
    let mut ids: Vec<_> = (0..CALLS)
        .map(|_| {
            let message = server.hear();
            let text = message["result"]["content"][0]["text"].as_str().unwrap();
            assert_eq!(text.len(), MIB);
            message["id"].as_u64().unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..CALLS as u64));
    let peak = mebibytes(&server.process, "VmHWM");
    println!("{CALLS} answers of 1 MiB: {unread} MiB where nobody reads, {peak} MiB at most");
    assert!(peak < 128, "{peak} MiB");
    drop(writer.join().unwrap());
    ended(&mut server.process);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_sessions_that_greet_and_go_lock_nobody_out() {
    let server = Listening::start();
    let client = mcp::connect(&*server.url).initialize().await.unwrap();
    calls_of_add(&client).await;
    let http = reqwest::Client::new();
    let before = server.mebibytes("VmRSS");
    let greet = || async {
        let said = post(&http, &server.url, hello().to_string()).send().await;
        let said = said.unwrap();
        assert!(said.status().is_success(), "{said:?}");
        said.bytes().await.unwrap();
    };
    let since = Instant::now();
    let greeted = stream::iter(0..5_000).map(|_| greet());
    assert_eq!(greeted.buffer_unordered(16).count().await, 5_000);
    println!("5,000 sessions in {:?}", since.elapsed());
    let since = Instant::now();
    greet().await;
    println!("the next one in {:?}", since.elapsed());
    let since = Instant::now();
    calls_of_add(&client).await;
    println!(
        "ten calls of a session that had called in {:?}",
        since.elapsed()
    );
    let (after, peak) = (server.mebibytes("VmRSS"), server.mebibytes("VmHWM"));
    println!("{before} MiB before, {after} MiB after, {peak} MiB at most");
    client.close().await;
}
