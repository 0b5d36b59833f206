//! An MCP server by what it says on the wire.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::timeout;
use toolwright::executor::UnknownOutcome;
use toolwright::layers::Approval;
use toolwright::mcp::{HttpService, McpServer, NoticeKind, ServerLimits};
use toolwright::{
    Context, DynTool, Outcome, Registry, ToolDef, ToolError, Toolset,
    args::Repairs,
    call::{BoxFuture, Cancel},
    layers::{Handled, Layer, Next, Request},
    schema::SchemaDoc,
    tool, tools,
};
use tower_service::Service;

const LONG: Duration = Duration::from_secs(20);

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Waits.
#[tool]
async fn wait(ms: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// These, and a tool that answers with its arguments' text.
fn all() -> Toolset {
    let raw = DynTool::builder()
        .name("raw")
        .description("Says its arguments again.")
        .handler_sync(|arguments: Box<RawValue>, _| Ok::<_, ToolError>(arguments.get().to_owned()))
        .build();
    tools![add, wait, boom].with(raw.unwrap())
}

/// A server on a pipe, and the client's end of it.
pub(crate) struct Piped {
    input: WriteHalf<DuplexStream>,
    output: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    ended: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Piped {
    pub(crate) async fn new(server: McpServer) -> Self {
        let (mut piped, hello) = (Self::silent(server), initialize());
        piped.say(&hello).await;
        piped.hear().await;
        piped
    }

    /// A client that can ask.
    pub(crate) async fn with_a_user(server: McpServer) -> Self {
        let mut piped = Self::silent(server);
        let (none, some) = (
            r#""capabilities":{}"#,
            r#""capabilities":{"elicitation":{}}"#,
        );
        piped.ask(&initialize().replace(none, some)).await;
        piped
    }

    pub(crate) fn silent(server: McpServer) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        let ended = tokio::spawn(server.serve_pipe(input, output));
        let (output, input) = tokio::io::split(ours);
        let output = BufReader::new(output).lines();
        Self {
            input,
            output,
            ended,
        }
    }

    pub(crate) async fn say(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn hear(&mut self) -> Value {
        let line = timeout(LONG, self.output.next_line())
            .await
            .unwrap()
            .unwrap();
        serde_json::from_str(&line.expect("the server ended")).unwrap()
    }

    pub(crate) async fn ask(&mut self, line: &str) -> Value {
        self.say(line).await;
        self.hear().await
    }
}

fn initialize() -> String {
    request(
        0,
        "initialize",
        &json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        })
        .to_string(),
    )
}

pub(crate) fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn call(id: u32, name: &str, arguments: &str) -> String {
    request(
        id,
        "tools/call",
        &format!(r#"{{"name":"{name}","arguments":{arguments}}}"#),
    )
}

/// What the decoder must see as it was sent: equal keys, long numbers, space.
const RAW: [&str; 3] = [
    r#"{"n": 9007199254740993, "m": 1e400}"#,
    r#"{ "z": 1.50,  "a": 123456789012345678901234567890 }"#,
    r#"{"s": "\u00e9\/"}"#,
];

#[tokio::test]
async fn a_server_without_a_name_is_called_as_its_program() {
    let program = std::env::current_exe().unwrap();
    let mut client = Piped::silent(McpServer::new(all()));
    let hello = client.ask(&initialize()).await;
    let name = hello["result"]["serverInfo"]["name"].as_str().unwrap();
    assert_eq!(Some(name), program.file_stem().unwrap().to_str());
}

#[tokio::test]
async fn arguments_arrive_as_they_were_sent_over_a_pipe() {
    let mut client = Piped::new(McpServer::new(all())).await;
    for raw in RAW {
        let answer = client.ask(&call(1, "raw", raw)).await;
        assert_eq!(answer["result"]["content"][0]["text"], raw);
    }
    let answer = client
        .ask(&call(2, "add", r#"{"a": 1, "a": 1, "b": 2}"#))
        .await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "a: given more than once"
    );
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_ends_nothing() {
    let mut client = Piped::silent(McpServer::new(all()));
    let table = [
        ("nope", -32700, json!(null)),
        ("[]", -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
        (r#"{"id":8,"method":"ping"}"#, -32600, json!(8)),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call"}"#,
            -32602,
            json!(9),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"add"}}"#,
            -32600,
            json!(null),
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"id":9,"method":"ping"}"#,
            -32600,
            json!(null),
        ),
        // Of a broken one the id is read where it is sure that it is a request's.
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a"#,
            -32700,
            json!(9),
        ),
        (
            r#"{"jsonrpc":"2.0","method":"ping","params":nope,"id":"nine"}"#,
            -32700,
            json!("nine"),
        ),
        (r#"{"jsonrpc":"2.0","id":9,"method":9}"#, -32600, json!(9)),
        (
            r#"{"jsonrpc":"2.0","id":9,"result":nope}"#,
            -32700,
            json!(null),
        ),
        (r#"{"jsonrpc":"2.0","id":9"#, -32700, json!(null)),
    ];
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let answer = client.ask(&call(9, "add", &deep)).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(
        (&answer["error"]["message"], &answer["id"]),
        (&json!("the message nests deeper than 128"), &json!(9))
    );
    for (line, code, id) in &table {
        let answer = client.ask(line).await;
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(code), id),
            "{line}"
        );
    }
    // Before it is greeted, too, what it cannot use ends nothing.
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    assert_eq!(
        client.ask(&initialize()).await["result"]["protocolVersion"],
        "2025-11-25"
    );
    for (line, code, _) in &table {
        assert_eq!(client.ask(line).await["error"]["code"], *code, "{line}");
    }
    assert_eq!(
        client.ask(&call(1, "add", r#"{"a":1,"b":1}"#)).await["result"]["content"][0]["text"],
        "2"
    );
}

#[tokio::test]
async fn nothing_is_answered_that_asks_for_no_answer() {
    let mut client = Piped::new(McpServer::new(all())).await;
    client.say(&call(1, "wait", r#"{"ms":300}"#)).await;
    // Answers to requests of the server's have its ids, which the client's may have, too.
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":true}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/none","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
    ] {
        client.say(line).await;
    }
    let answer = client.ask(r#"{"id":1,"result":{}}"#).await;
    assert_eq!(answer["id"], json!(null), "{answer}");
    assert_eq!(client.ask(&request(2, "ping", "{}")).await["id"], 2);
    let answer = client.hear().await;
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["content"][0]["text"], "300");
    // An id that is none is told; without one it would be a notification.
    for line in [
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"add"}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
    ] {
        let answer = client.ask(line).await;
        assert_eq!(answer["error"]["code"], -32600, "{line}");
        assert_eq!(answer["id"], json!(null), "{line}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_the_protocols_error_and_all_else_is_the_models() {
    let mut client = Piped::new(McpServer::new(all())).await;
    let answer = client.ask(&call(1, "boomm", "{}")).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        answer["error"]["message"],
        "unknown tool `boomm`; did you mean `boom`?"
    );
    let answer = client.ask(&call(2, "add", r#"{"a": "x"}"#)).await;
    assert_eq!(answer["result"]["isError"], true);
    let answer = client.ask(&call(3, "boom", "{}")).await;
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_the_next_is_read() {
    let limits = ServerLimits {
        message: 1000,
        ..ServerLimits::default()
    };
    let mut client = Piped::new(McpServer::new(all()).limits(limits)).await;
    let long = "x".repeat(1001);
    for (line, id) in [(call(7, "add", &long), json!(7)), (long, json!(null))] {
        let answer = client.ask(&line).await;
        let words = "the message is longer than 1000 bytes";
        assert_eq!(
            (&answer["error"]["message"], &answer["id"]),
            (&json!(words), &id)
        );
    }
    let answer = client.ask(&call(1, "add", r#"{"a":1,"b":1}"#)).await;
    assert_eq!(answer["id"], 1);
}

#[tokio::test]
async fn what_is_in_flight_when_the_input_ends_is_answered() {
    let mut client = Piped::new(McpServer::new(all())).await;
    for id in 1..=50 {
        let (name, arguments) = if id % 3 == 0 {
            ("boom", "{}")
        } else {
            ("wait", r#"{"ms":300}"#)
        };
        client.say(&call(id, name, arguments)).await;
    }
    client.input.shutdown().await.unwrap();
    let mut ids = Vec::new();
    while let Some(line) = timeout(LONG, client.output.next_line())
        .await
        .unwrap()
        .unwrap()
    {
        let answer: Value = serde_json::from_str(&line).unwrap();
        ids.push(answer["id"].as_u64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=50).collect::<Vec<_>>());
    timeout(LONG, client.ended).await.unwrap().unwrap().unwrap();
}

/// A server that gives calls little time once it is told to stop.
fn impatient(stop: &Cancel) -> McpServer {
    let limits = ServerLimits {
        grace: Duration::from_millis(50),
        ..ServerLimits::default()
    };
    McpServer::new(all())
        .limits(limits)
        .stopped_by(stop.clone())
}

#[tokio::test]
async fn who_does_not_read_does_not_hold_up_a_server_that_is_told_to_stop() {
    let stop = Cancel::new();
    let mut client = Piped::new(impatient(&stop)).await;
    for id in 1..=2_000 {
        client.say(&call(id, "add", r#"{"a":1,"b":1}"#)).await;
    }
    stop.cancel();
    timeout(LONG, client.ended).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_call_that_outlives_its_server_is_answered_as_cancelled() {
    for by_the_host in [true, false] {
        let stop = Cancel::new();
        let mut client = Piped::new(impatient(&stop)).await;
        client.say(&call(1, "wait", r#"{"ms":60000}"#)).await;
        let answer = client.ask(&call(2, "add", r#"{"a":1,"b":1}"#)).await;
        assert_eq!(answer["id"], 2);
        if by_the_host {
            stop.cancel();
        } else {
            client.input.shutdown().await.unwrap();
        }
        let answer = client.hear().await;
        assert_eq!(
            (&answer["id"], &answer["result"]["isError"]),
            (&json!(1), &json!(true))
        );
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, "the call was cancelled");
        timeout(LONG, client.ended).await.unwrap().unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered_and_no_other_is_taken_for_it() {
    let mut client = Piped::new(McpServer::new(all())).await;
    client.say(&call(1, "wait", r#"{"ms":60000}"#)).await;
    let again = client.ask(&call(1, "add", r#"{"a":1,"b":1}"#)).await;
    assert_eq!(
        again["error"]["message"],
        "another request with this id is not answered yet"
    );
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    let again = client.ask(&call(1, "add", r#"{"a":1,"b":1}"#)).await;
    assert_eq!(
        again["error"]["message"],
        "a request with this id was cancelled"
    );
    let answer = client.ask(&call(2, "add", r#"{"a":1,"b":1}"#)).await;
    assert_eq!(
        (&answer["id"], &answer["result"]["content"][0]["text"]),
        (&json!(2), &json!("2"))
    );
}

#[tokio::test]
async fn tools_are_listed_by_pages_in_their_order_and_changes_are_told() {
    let registry = Registry::from(all());
    let mut client = Piped::new(McpServer::new(registry.clone()).page_size(3)).await;
    let first = client.ask(&request(1, "tools/list", "{}")).await;
    let names = |answer: &Value| -> Vec<String> {
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&first), ["add", "wait", "boom"]);
    let cursor = json!({"cursor": first["result"]["nextCursor"]}).to_string();
    // What is gone in between moves nothing.
    registry.remove("add");
    let second = client.ask(&request(2, "tools/list", &cursor)).await;
    assert_eq!(names(&second), ["raw"]);
    assert_eq!(second["result"].get("nextCursor"), None);
    let bad = client
        .ask(&request(3, "tools/list", r#"{"cursor": "x"}"#))
        .await;
    assert_eq!(bad["error"]["code"], -32602);

    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    // The server listens when it has read that.
    client.ask(&request(4, "ping", "{}")).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    registry.remove("boom");
    assert_eq!(
        client.hear().await["method"],
        "notifications/tools/list_changed"
    );
}

#[tokio::test]
async fn a_tool_whose_arguments_are_no_object_does_not_spoil_the_list() {
    let odd = |name: &'static str, schema: Value| {
        let mut def = ToolDef::new(name, "Does something.");
        def.input = SchemaDoc::parse(&schema.to_string()).unwrap();
        DynTool::declare(def)
    };
    let form =
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    let tools = tools![add]
        .with(odd("text", json!({"type": "string"})))
        .with(odd("union", json!({"oneOf": [form, {"type": "null"}]})));
    let server = McpServer::new(tools);
    let notices = server.notices();
    assert_eq!(notices.len(), 1);
    assert_eq!(
        (&*notices[0].tool, notices[0].kind),
        ("text", NoticeKind::Refused)
    );

    let mut client = Piped::new(server).await;
    let list = client.ask(&request(1, "tools/list", "{}")).await;
    let listed = list["result"]["tools"].as_array().unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!(
        (&listed[0]["name"], &listed[1]["name"]),
        (&json!("add"), &json!("union"))
    );
    assert_eq!(listed[1]["inputSchema"], form);
}

/// 3,000 calls at once, of which each third panics.
#[tokio::test]
async fn each_of_many_calls_in_flight_is_answered_once() {
    const CALLS: u32 = 3000;
    let client = Piped::new(McpServer::new(all())).await;
    let Piped {
        mut input,
        mut output,
        ..
    } = client;
    let writer = tokio::spawn(async move {
        for id in 1..=CALLS {
            let (name, arguments) = match id % 3 {
                0 => ("boom", "{}"),
                _ => ("wait", r#"{"ms":1000}"#),
            };
            let line = format!("{}\n", call(id, name, arguments));
            input.write_all(line.as_bytes()).await.unwrap();
        }
        input
    });
    let mut answers = vec![0; CALLS as usize + 1];
    for _ in 0..CALLS {
        let line = timeout(LONG, output.next_line()).await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let id = answer["id"].as_u64().unwrap();
        assert_eq!(
            answer["result"]["isError"] == true,
            id.is_multiple_of(3),
            "{answer}"
        );
        answers[usize::try_from(id).unwrap()] += 1;
    }
    assert!(answers[1..].iter().all(|count| *count == 1));
    drop(writer.await.unwrap());
}

#[tokio::test]
async fn a_subscription_does_not_keep_a_server_whose_client_has_hung_up() {
    let limits = ServerLimits {
        grace: LONG * 10,
        ..ServerLimits::default()
    };
    let mut client = Piped::silent(McpServer::new(all()).limits(limits));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
    let listen = request(1, "subscriptions/listen", &params.to_string());
    let told = client.ask(&listen).await;
    let acknowledged = "notifications/subscriptions/acknowledged";
    assert_eq!(told["method"], acknowledged, "{told}");
    client.input.shutdown().await.unwrap();
    assert_eq!(client.hear().await["id"], 1);
    timeout(LONG, client.ended).await.unwrap().unwrap().unwrap();
}

/// Charges a card.
#[tool(destructive)]
fn charge(cents: u32) -> u32 {
    cents
}

/// Answers what a person says.
#[tool(manual)]
fn decide(what: String) -> String {
    what
}

fn asking() -> McpServer {
    let destroys = |request: &Request<'_>| request.annotations().destructive == Some(true);
    McpServer::new(tools![charge, decide])
        .executor(move |executor| executor.layer(Approval::when(destroys)))
}

/// Pays, and hears nothing of it.
#[tool]
fn pay() -> Result<u8, ToolError> {
    Err(ToolError::failed("no word of it").with_outcome_unknown())
}

#[tokio::test]
async fn a_call_of_unknown_outcome_is_an_error_for_a_client() {
    let server = McpServer::new(tools![pay])
        .executor(|executor| executor.on_unknown_outcome(UnknownOutcome::Ask));
    let mut client = Piped::with_a_user(server).await;
    let answer = client.ask(&call(1, "pay", "{}")).await;
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["content"][0]["text"], "no word of it");
}

#[derive(serde::Serialize, toolwright::Schema)]
struct Ratio {
    ratio: f64,
}

/// Divides.
#[tool]
fn divide(a: f64, b: f64) -> Ratio {
    Ratio { ratio: a / b }
}

/// A client that checks results would refuse `null` under `{"type": "number"}`, though the tool ran.
#[tokio::test]
async fn a_number_that_json_cannot_hold_is_an_error_for_a_client() {
    let mut client = Piped::new(McpServer::new(tools![divide])).await;
    let good = client.ask(&call(1, "divide", r#"{"a": 1, "b": 2}"#)).await;
    assert_eq!(good["result"]["structuredContent"], json!({"ratio": 0.5}));
    for (id, a) in [(2, 0), (3, 1), (4, -1)] {
        let arguments = format!(r#"{{"a": {a}, "b": 0}}"#);
        let answer = client.ask(&call(id, "divide", &arguments)).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"].get("structuredContent"), None, "{answer}");
    }
}

#[tokio::test]
async fn approvals_and_manual_tools_are_asked_for_while_the_request_is_open() {
    let mut client = Piped::with_a_user(asking()).await;
    let table = [
        (
            "charge",
            r#"{"cents": 5}"#,
            json!({"action": "accept", "content": {"approve": true}}),
            false,
            "5",
        ),
        (
            "charge",
            r#"{"cents": 5}"#,
            json!({"action": "decline"}),
            true,
            "the call was rejected",
        ),
        (
            "charge",
            r#"{"cents": 5}"#,
            json!({"action": "accept", "content": {"approve": false, "reason": "too much"}}),
            true,
            "the call was rejected: too much",
        ),
        (
            "decide",
            r#"{"what": "x"}"#,
            json!({"action": "accept", "content": {"answer": "yes"}}),
            false,
            "yes",
        ),
    ];
    for (id, (name, arguments, says, is_error, text)) in (1..).zip(table) {
        let asked = client.ask(&call(id, name, arguments)).await;
        assert_eq!(asked["method"], "elicitation/create");
        assert!(
            asked["params"]["message"]
                .as_str()
                .unwrap()
                .contains(&format!("`{name}` with {{"))
        );
        let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
        let answer = client.ask(&said.to_string()).await;
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["isError"] == true, is_error, "{answer}");
        assert_eq!(answer["result"]["content"][0]["text"], text);
    }
    // Whoever cannot ask is told.
    let mut client = Piped::new(asking()).await;
    let answer = client.ask(&call(1, "charge", r#"{"cents": 5}"#)).await;
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn nobody_is_asked_any_more_for_a_call_that_was_cancelled() {
    let mut client = Piped::with_a_user(asking()).await;
    let asked = client.ask(&call(7, "charge", r#"{"cents": 5}"#)).await;
    assert_eq!(asked["method"], "elicitation/create");
    let gone = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    let told = client.ask(gone).await;
    assert_eq!(told["method"], "notifications/cancelled", "{told}");
    assert_eq!(told["params"]["requestId"], asked["id"]);
}

#[tokio::test]
async fn nobody_waits_for_the_answer_of_a_client_that_has_hung_up() {
    let limits = ServerLimits {
        grace: LONG * 10,
        ..ServerLimits::default()
    };
    for answers in [true, false] {
        let mut client = Piped::with_a_user(asking().limits(limits)).await;
        let asked = client.ask(&call(7, "charge", r#"{"cents": 5}"#)).await;
        assert_eq!(asked["method"], "elicitation/create");
        if answers {
            let says = json!({"action": "accept", "content": {"approve": true}});
            let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
            client.say(&said.to_string()).await;
        }
        client.input.shutdown().await.unwrap();
        let answer = client.hear().await;
        assert_eq!(answer["id"], 7);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        let hung_up = "the client has hung up, and its user's answer would not be heard";
        assert_eq!(text, if answers { "5" } else { hung_up });
        timeout(LONG, client.ended).await.unwrap().unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_approval_of_2026_is_for_the_arguments_that_were_shown() {
    let mut client = Piped::silent(asking());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let charge = |id, cents: u32, more: &Value| {
        let mut params = json!({"name": "charge", "arguments": {"cents": cents}, "_meta": meta});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().cloned().unwrap());
        request(id, "tools/call", &params.to_string())
    };
    let asked = client.ask(&charge(1, 5, &json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let (key, question) = asked["result"]["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let said = json!({
        "requestState": asked["result"]["requestState"],
        "inputResponses": {key: {"action": "accept", "content": {"approve": true}}},
    });
    let answer = client.ask(&charge(2, 5, &said)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "5", "{answer}");
    // An equal call in the same second is another one.
    let other = client.ask(&charge(7, 5, &json!({}))).await;
    let mut again = said.clone();
    again["requestState"] = other["result"]["requestState"].clone();
    let answer = client.ask(&charge(8, 5, &again)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "5", "{answer}");
    // One yes is for one run.
    for id in [5, 6] {
        let answer = client.ask(&charge(id, 5, &said)).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let words = "`requestState` was used before, and an approval is for one run";
        assert_eq!(answer["error"]["message"], words);
    }
    // Nobody was asked.
    let unasked = json!({"inputResponses": said["inputResponses"]});
    let answer = client.ask(&charge(4, 5, &unasked)).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let answer = client.ask(&charge(3, 500, &said)).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// Of servers that share a key, one runs a call that was approved once.
#[tokio::test]
async fn an_approval_of_2026_is_for_one_of_several_servers() {
    let spent = Arc::new(std::sync::Mutex::new(std::collections::HashSet::new()));
    let fails = Arc::new(AtomicBool::new(false));
    let server = || {
        let (spent, fails) = (Arc::clone(&spent), Arc::clone(&fails));
        let server = asking().state_key(b"a key of all of them");
        server.spend_approvals(move |text: String| {
            assert!(text.is_ascii() && text.len() == 43, "{text}");
            let is_new = spent.lock().unwrap().insert(text);
            let fails = fails.load(Ordering::Relaxed);
            std::future::ready(if fails {
                Err("the store is away")
            } else {
                Ok(is_new)
            })
        })
    };
    let (mut one, mut other) = (Piped::silent(server()), Piped::silent(server()));
    let charge = |more: &Value| {
        let mut params = json!({"name": "charge", "arguments": {"cents": 5}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        }});
        let params_of = params.as_object_mut().unwrap();
        params_of.extend(more.as_object().cloned().unwrap());
        request(1, "tools/call", &params.to_string())
    };
    for (is_away, second) in [
        (false, "`requestState` was used before"),
        (true, "the store is away"),
    ] {
        let asked = one.ask(&charge(&json!({}))).await;
        let asks = asked["result"]["inputRequests"].as_object().unwrap();
        let key = asks.keys().next().unwrap();
        let said = json!({
            "requestState": asked["result"]["requestState"],
            "inputResponses": {key: {"action": "accept", "content": {"approve": true}}},
        });
        fails.store(is_away, Ordering::Relaxed);
        if !is_away {
            let answer = other.ask(&charge(&said)).await;
            assert_eq!(answer["result"]["content"][0]["text"], "5", "{answer}");
        }
        let answer = one.ask(&charge(&said)).await;
        let words = answer["error"]["message"].as_str().unwrap();
        assert!(words.contains(second), "{answer}");
        if is_away {
            // It has not been used: once the store is back, it runs.
            fails.store(false, Ordering::Relaxed);
            spent.lock().unwrap().clear();
            let answer = one.ask(&charge(&said)).await;
            assert_eq!(answer["result"]["content"][0]["text"], "5", "{answer}");
        }
    }
}

#[tokio::test]
async fn a_question_about_a_call_is_safe_to_print_and_after_a_yes_its_repairs_are_told() {
    let shows = |request: &Request<'_>| json!({"of": &*request.call().arguments});
    let asks = Approval::when(|_| true).details(shows);
    let server =
        McpServer::new(tools![note]).executor(move |executor| executor.layer(asks.clone()));
    let mut client = Piped::with_a_user(server).await;
    let arguments = "{\"journal\": \"x\u{202e}\u{e0041}\", \"cents\": \"1\"}";
    let asked = client.ask(&call(1, "note", arguments)).await;
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(message.contains(r"x\u{202e}\u{e0041}"), "{message}");
    assert!(!message.contains(['\u{202e}', '\u{e0041}']), "{message}");
    let says = json!({"action": "accept", "content": {"approve": true}});
    let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
    let answer = client.ask(&said.to_string()).await;
    let repairs = &answer["result"]["_meta"]["toolwright/repairs"];
    assert_eq!(repairs[0]["path"], "cents", "{answer}");

    // Of a tool that asks, too.
    let mut client = Piped::with_a_user(McpServer::new(tools![choose])).await;
    let asked = client.ask(&call(1, "choose", r#"{"most": "2"}"#)).await;
    let says = json!({"action": "accept", "content": {"answer": "tea"}});
    let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
    let answer = client.ask(&said.to_string()).await;
    assert_eq!(answer["result"]["content"][0]["text"], "tea", "{answer}");
    let repairs = &answer["result"]["_meta"]["toolwright/repairs"];
    assert_eq!(repairs[0]["path"], "most", "{answer}");
}

/// Asks what to take.
#[tool]
fn choose(most: u32) -> Outcome {
    Outcome::ask(format!("Which {most}?"))
}

/// Says what it costs at the moment: 10 at first, then more.
#[derive(Default)]
struct Quote(AtomicU32);

impl Layer for Quote {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        let cents = 10 + 2 * self.0.fetch_add(1, Ordering::SeqCst).min(1);
        let request = request.with_arguments(json!({ "cents": cents }).to_string());
        Box::pin(next.run(request))
    }
}

#[tokio::test]
async fn what_a_layer_rewrites_is_approved_as_it_was_shown() {
    let server = || {
        let asks = Approval::when(|request| request.annotations().destructive == Some(true));
        McpServer::new(tools![charge])
            .executor(|executor| executor.layer(Quote::default()).layer(asks))
    };
    let yes = json!({"action": "accept", "content": {"approve": true}});
    let shows = |question: &Value, cents: u32| {
        let message = question["params"]["message"].as_str().unwrap();
        assert!(
            message.contains(&format!(r#"{{"cents":{cents}}}"#)),
            "{message}"
        );
    };
    // While the request is open.
    let mut client = Piped::with_a_user(server()).await;
    let mut heard = client.ask(&call(1, "charge", r#"{"cents": 0}"#)).await;
    for cents in [10, 12] {
        shows(&heard, cents);
        let said = json!({"jsonrpc": "2.0", "id": heard["id"], "result": yes});
        heard = client.ask(&said.to_string()).await;
    }
    assert_eq!(heard["result"]["content"][0]["text"], "12", "{heard}");
    // By an answer that requires it.
    let mut client = Piped::silent(server());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let mut params = json!({"name": "charge", "arguments": {"cents": 0}, "_meta": meta});
    for (id, cents) in [(1, 10), (2, 12)] {
        let heard = client
            .ask(&request(id, "tools/call", &params.to_string()))
            .await;
        let asked = heard["result"]["inputRequests"].as_object().unwrap();
        let (key, question) = asked.iter().next().unwrap();
        shows(question, cents);
        params["requestState"] = heard["result"]["requestState"].clone();
        params["inputResponses"] = json!({ key: yes });
    }
    let heard = client
        .ask(&request(3, "tools/call", &params.to_string()))
        .await;
    assert_eq!(heard["result"]["content"][0]["text"], "12", "{heard}");
}

/// The answer to a request over HTTP, and its status.
async fn post(service: &mut HttpService, headers: &[(&str, &str)], body: String) -> (u16, String) {
    let mut request = http::Request::post("/mcp")
        .header("host", "127.0.0.1:80")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(bytes::Bytes::from(body))).unwrap();
    let response = service.call(request).await.unwrap();
    let status = response.status().as_u16();
    let body = timeout(LONG, response.into_body().collect())
        .await
        .unwrap()
        .unwrap();
    (status, String::from_utf8(body.to_bytes().to_vec()).unwrap())
}

/// A call of 2026-07-28, which needs no session.
fn call_of_2026(name: &str, arguments: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(
        1,
        "tools/call",
        &format!(r#"{{"name":"{name}","arguments":{arguments},"_meta":{meta}}}"#),
    )
}

const OF_2026: [(&str, &str); 2] = [
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-method", "tools/call"),
];

#[tokio::test]
async fn arguments_arrive_as_they_were_sent_over_http() {
    let mut service = McpServer::new(all()).http();
    for raw in RAW {
        let headers = [OF_2026[0], OF_2026[1], ("mcp-name", "raw")];
        let (status, body) = post(&mut service, &headers, call_of_2026("raw", raw)).await;
        let answer: Value = serde_json::from_str(&body).expect(&body);
        assert_eq!(
            (status, &answer["result"]["content"][0]["text"]),
            (200, &json!(raw))
        );
        assert_eq!(answer["result"]["resultType"], "complete");
    }
    let headers = [OF_2026[0], OF_2026[1], ("mcp-name", "add")];
    let body = call_of_2026("add", r#"{"a": 1, "a": 1, "b": 2}"#);
    let (_, body) = post(&mut service, &headers, body).await;
    assert!(body.contains("a: given more than once"), "{body}");
}

#[tokio::test]
async fn requests_over_http_that_are_refused() {
    let limits = ServerLimits {
        message: 1000,
        ..ServerLimits::default()
    };
    let mut service = McpServer::new(all()).limits(limits).http();
    let (status, body) = post(&mut service, &[], "x".repeat(1001)).await;
    assert_eq!(status, 413, "{body}");
    let (status, body) = post(&mut service, &[], "nope".into()).await;
    assert!(status == 400 && body.contains("-32700"), "{status} {body}");
    let (status, _) = post(
        &mut service,
        &[("origin", "https://evil.example.com")],
        initialize(),
    )
    .await;
    assert_eq!(status, 403);
    let (status, _) = post(
        &mut service,
        &[("origin", "http://localhost:3000")],
        initialize(),
    )
    .await;
    assert_eq!(status, 200);
}

/// Moves money.
#[tool(destructive)]
fn transfer(journal: &str, cents: u32) -> String {
    format!("{journal} {cents}")
}

/// Keys that a gateway in front of the server reads as other keys than `a` and `journal`.
const DISGUISED: [&str; 10] = [
    r"journal\u0000",
    "Journal",
    "jounral",
    "journal ",
    r"journal\n",
    "jour\u{200b}nal",
    "journal\u{202e}",
    "journal\u{e0041}",
    "\u{ff4a}ournal",
    "j\u{43e}urnal",
];

/// Notes.
#[tool]
fn note(journal: &str, cents: u32) -> String {
    format!("{journal} {cents}")
}

async fn ask_over_http(service: &mut HttpService, name: &str, arguments: &str) -> Value {
    let headers = [OF_2026[0], OF_2026[1], ("mcp-name", name)];
    let (_, body) = post(service, &headers, call_of_2026(name, arguments)).await;
    serde_json::from_str(&body).expect(&body)
}

#[tokio::test]
async fn a_server_reads_keys_as_they_were_sent() {
    let tools = tools![note, transfer];
    let mut pipe = Piped::new(McpServer::new(tools.clone())).await;
    // Whatever the host says.
    let cx = Context::new().with_repairs(Repairs::All);
    let mut http = McpServer::new(tools).context(cx).http();
    for name in ["note", "transfer"] {
        for key in DISGUISED {
            let arguments = format!(r#"{{"{key}": "x", "cents": 1}}"#);
            for answer in [
                pipe.ask(&call(1, name, &arguments)).await,
                ask_over_http(&mut http, name, &arguments).await,
                // The second time the call begins where it is read.
                ask_over_http(&mut http, name, &arguments).await,
            ] {
                let text = answer["result"]["content"][0]["text"].as_str().unwrap();
                assert_eq!(answer["result"]["isError"], true, "{answer}");
                assert!(text.contains("did you mean `journal`?"), "{text}");
                assert!(
                    !text.contains(['\0', '\u{200b}', '\u{202e}', '\u{e0041}']),
                    "{text:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn no_argument_of_an_exact_tool_is_repaired() {
    /// Moves money, as it is written.
    #[tool(exact)]
    fn exactly(journal: &str, cents: u32) -> String {
        note(journal, cents)
    }

    let tools = tools![note, transfer, exactly];
    let mut pipe = Piped::new(McpServer::new(tools.clone())).await;
    let cx = Context::new().with_repairs(Repairs::All);
    let mut http = McpServer::new(tools).context(cx).http();
    let arguments = r#"{"journal": "x", "cents": "1"}"#;
    for (name, is_refused) in [("note", false), ("transfer", true), ("exactly", true)] {
        for answer in [
            pipe.ask(&call(1, name, arguments)).await,
            ask_over_http(&mut http, name, arguments).await,
        ] {
            assert_eq!(answer["result"]["isError"] == true, is_refused, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_result_says_how_the_arguments_were_repaired() {
    let arguments = r#"{"a": "1", "b": 2}"#;
    let meta = json!({"toolwright/repairs": [
        {"path": "a", "kind": "unquoted", "from": "\"1\"", "to": "1"},
    ]});
    let mut pipe = Piped::new(McpServer::new(all())).await;
    let mut http = McpServer::new(all()).http();
    for _ in 0..2 {
        let piped = pipe.ask(&call(1, "add", arguments)).await;
        let posted = ask_over_http(&mut http, "add", arguments).await;
        for answer in [piped, posted] {
            assert_eq!(answer["result"]["content"][0]["text"], "3", "{answer}");
            assert_eq!(answer["result"]["_meta"], meta);
        }
    }
    let plain = pipe.ask(&call(2, "add", r#"{"a": 1, "b": 2}"#)).await;
    assert_eq!(plain["result"].get("_meta"), None);
    // The host switches that off.
    let strict = McpServer::new(all()).context(Context::new().with_repairs(Repairs::None));
    let mut strict = Piped::new(strict).await;
    let refused = strict.ask(&call(3, "add", arguments)).await;
    assert_eq!(refused["result"]["isError"], true);
    assert_eq!(
        refused["result"]["content"][0]["text"],
        "a: expected an integer, got \"1\""
    );
}

#[tokio::test]
async fn an_unknown_tools_name_is_safe_to_print() {
    let mut client = Piped::new(McpServer::new(all())).await;
    let answer = client.ask(&call(1, r"wipe\u001b[2J\n\u202e", "{}")).await;
    assert_eq!(
        answer["error"]["message"],
        r"unknown tool `wipe\u{1b}[2J\n\u{202e}`"
    );
}
