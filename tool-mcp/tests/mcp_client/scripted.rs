//! A server that does what its script says, over standard input and output.

use std::io::{BufRead, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Line {
    id: Option<Value>,
    method: Option<String>,
    params: Option<Params>,
    result: Option<Value>,
}

#[derive(Deserialize)]
struct Params {
    name: Option<String>,
    cursor: Option<String>,
    arguments: Option<Box<RawValue>>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
    reason: Option<String>,
    #[serde(rename = "requestId")]
    request_id: Option<Value>,
    #[serde(rename = "inputResponses")]
    input_responses: Option<Value>,
    #[serde(rename = "taskId")]
    task_id: Option<String>,
    #[serde(rename = "requestState")]
    request_state: Option<String>,
}

fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).unwrap();
    out.write_all(b"\n").unwrap();
    out.flush().unwrap();
}

fn send(message: &Value) {
    write(&message.to_string());
}

fn answer(id: &Value, result: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn refuse(id: &Value, error: &str) {
    write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "scripted", "version": "1"},
        "instructions": "Be kind.\u{e0041}",
    })
}

/// The answer to a call of which the server made a task.
pub(crate) fn task() -> Value {
    json!({
        "resultType": "task", "taskId": "t1", "status": "working", "ttlMs": 60_000,
        "createdAt": "2026-07-28T00:00:00Z", "lastUpdatedAt": "2026-07-28T00:00:00Z",
    })
}

/// Any arguments, a name and a schema.
fn tool(name: &str) -> Value {
    json!({"name": name, "description": "Does.", "inputSchema": {"type": "object"}})
}

/// Says to who listens that it is there, as long as it is.
fn stay() {
    let address = std::env::var("MCP_LISTENER").unwrap();
    let mut listener = TcpStream::connect(address).unwrap();
    listener.write_all(b"!").unwrap();
    // Nothing comes.
    let _ = listener.read(&mut [0]);
}

fn start_another() {
    let mut other = super::command("stays");
    let mut other = other
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::spawn(move || other.wait());
}

pub(crate) fn serve(script: &str) {
    if script == "dies at once" {
        eprintln!("no licence found");
        std::process::exit(7);
    }
    if script == "reads nothing" {
        return;
    }
    match script {
        "stays" => return stay(),
        "starts another" => start_another(),
        _ => {}
    }
    // Whether another process was there before, which left a mark.
    let is_later = std::env::var_os("MCP_MARK").is_some_and(|mark| {
        let is_there = std::fs::exists(&mark).unwrap();
        std::fs::write(mark, "").unwrap();
        is_there
    });
    let mut changed = false;
    let mut asked: Option<Value> = None;
    let mut late_task: Option<Value> = None;
    let mut pinged = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let line: Line = serde_json::from_str(&line).expect("a message");
        let id = line.id.clone().unwrap_or_default();
        let params = line.params;
        match line.method.as_deref() {
            Some("server/discover") => discover(script, &id),
            Some("initialize") if script == "never says hello" => {}
            Some("initialize") => answer(&id, &greeting()),
            Some("notifications/cancelled") => {
                let params = params.unwrap();
                let (id, reason) = (params.request_id.unwrap(), params.reason.unwrap());
                eprintln!("cancelled {id}: {reason}");
                // The answer was on its way.
                if late_task.as_ref() == Some(&id) {
                    answer(&id, &task());
                }
            }
            Some("tasks/cancel") => {
                eprintln!("withdrawn: {}", params.unwrap().task_id.unwrap());
                answer(&id, &json!({"resultType": "complete"}));
            }
            Some("tools/list") => {
                if is_later {
                    eprintln!("listing");
                    std::thread::sleep(std::time::Duration::from_secs(30));
                }
                let cursor = params.and_then(|params| params.cursor);
                let page = super::lists::page(script, cursor.as_deref(), changed);
                write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{page}}}"#));
                if script == "does not read" {
                    std::thread::sleep(std::time::Duration::from_mins(1));
                }
            }
            Some("tools/call") => {
                let params = params.unwrap();
                match params.name.as_deref() {
                    Some("change") => {
                        changed = true;
                        send(
                            &json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
                        );
                        answer(&id, &text("changed"));
                    }
                    Some("ask") => {
                        asked = Some(id);
                        let params = json!({
                            "message": "How many?", "mode": "form",
                            "requestedSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
                        });
                        send(
                            &json!({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": params}),
                        );
                    }
                    Some("late_task") => {
                        eprintln!("called late_task");
                        late_task = Some(id);
                    }
                    Some("pinged") => answer(&id, &text(&pinged.to_string())),
                    Some(name) => run(name, &id, &params),
                    None => panic!("a call without a name"),
                }
            }
            None if id.as_str().is_some_and(|id| id.starts_with("ping")) => pinged += 1,
            None if id == "q1" => {
                let said = line.result.unwrap_or_default().to_string();
                answer(&asked.take().unwrap(), &text(&said));
            }
            _ => {}
        }
    }
    eprintln!("end of input");
    if script == "does not end" {
        std::thread::sleep(std::time::Duration::from_mins(1));
    }
    std::process::exit(0);
}

fn discover(script: &str, id: &Value) {
    if script.contains("asks first") {
        for n in 0..300 {
            let method = ["ping", "roots/list"][n % 2];
            send(&json!({"jsonrpc": "2.0", "id": format!("first{n}"), "method": method}));
        }
    }
    match script {
        "modern" => answer(
            id,
            &json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "modern", "version": "2"},
                "ttlMs": 0, "cacheScope": "private",
            }),
        ),
        "silent about the new" | "silent, asks first" => {}
        "knows one greeting" => std::process::exit(3),
        _ => send(&json!({
            "jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "what?"},
        })),
    }
}

/// Asks without reading an answer in between.
fn ping(id: &Value) {
    for n in 0..20_000 {
        let id = format!("ping{n}");
        send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    }
    answer(id, &text("pinged"));
}

/// As servers write numbers that know one kind alone.
fn floats(id: &Value, params: &Params) {
    let token = &params.meta.as_ref().unwrap()["progressToken"];
    write(&format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token}.0,"progress":1.0}}}}"#
    ));
    let said = text("done");
    write(&format!(
        r#"{{"jsonrpc":"2.0","id":{id}.0,"result":{said}}}"#
    ));
}

/// Says the idempotency key that came with the call.
fn key(id: &Value, params: &Params) {
    let meta = params.meta.as_ref().unwrap();
    assert!(meta.get("progressToken").is_some(), "{meta}");
    let key = meta.get("toolwright/idempotency_key");
    answer(id, &text(&key.unwrap_or(&Value::Null).to_string()));
}

/// An answer of which the end is missing.
fn torn(id: &Value) {
    write(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"ha"#
    ));
}

fn run(name: &str, id: &Value, params: &Params) {
    let arguments = params.arguments.as_deref().map_or("", RawValue::get);
    eprintln!("called {name}");
    match name {
        "echo" => answer(id, &text(arguments)),
        "structured" => write(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"structuredContent":{arguments}}}}}"#
        )),
        "crash" | "crash_idempotent" => std::process::exit(3),
        "slow" => {}
        "progress" => {
            let token = &params.meta.as_ref().unwrap()["progressToken"];
            for done in 1..=3 {
                let told = json!({"progressToken": token, "progress": done, "total": 3, "message": format!("step {done}")});
                send(
                    &json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": told}),
                );
            }
            answer(id, &text("done"));
        }
        "floats" => floats(id, params),
        "key" => key(id, params),
        "alive" => {
            let token = params.meta.as_ref().unwrap()["progressToken"].clone();
            for done in 1..=6 {
                std::thread::sleep(std::time::Duration::from_millis(500));
                let told = json!({"progressToken": token, "progress": done});
                send(
                    &json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": told}),
                );
            }
            answer(id, &text("done"));
        }
        "pings" => ping(id),
        "huge" => answer(id, &text(&"x".repeat(3_000_000))),
        "line" => {
            let mut out = std::io::stdout().lock();
            write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"x":""#).unwrap();
            let mebibyte = "x".repeat(1024 * 1024);
            for _ in 0..128 {
                out.write_all(mebibyte.as_bytes()).unwrap();
            }
            out.write_all(b"\"}}\n").unwrap();
        }
        "huge_id_last" => {
            let words = "x".repeat(3_000_000);
            let result = text(&words);
            write(&format!(
                r#"{{"result":{result},"jsonrpc":"2.0","id":{id}}}"#
            ));
        }
        "noisy" => {
            write("Starting up…");
            write("{\"jsonrpc\": \"2.0\", \"id\": ");
            write("[]");
            write(r#"{"jsonrpc":"2.0","id":99999,"result":{}}"#);
            write(
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"much"}}"#,
            );
            write(
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}"#,
            );
            write(
                r#"{"jsonrpc":"2.0","id":"x","method":"sampling/createMessage","params":{"bad":1}}"#,
            );
            write("\u{0}\u{1}");
            std::io::stdout().lock().write_all(b"\xff\xfe\n").unwrap();
            answer(id, &text("fine"));
            answer(id, &text("once more"));
        }
        "torn" => torn(id),
        "id_as_text" => {
            let id = id.to_string();
            send(&json!({"jsonrpc": "2.0", "id": id, "result": text("fine")}));
        }
        "fails" => {
            let mut result = text("no such city\u{1b}[2J\u{202e}");
            result["isError"] = true.into();
            answer(id, &result);
        }
        "refuses" => refuse(id, r#"{"code": -32602, "message": "not today"}"#),
        "refuses_anyhow" => refuse(id, arguments),
        "nonsense" => answer(id, &json!("text")),
        "neither" => send(&json!({"jsonrpc": "2.0", "id": id})),
        "needs" => match &params.input_responses {
            Some(responses) => {
                let state = params.request_state.as_deref();
                answer(id, &text(&format!("{responses} {state:?} {arguments}")));
            }
            None => answer(
                id,
                &json!({
                    "resultType": "input_required", "requestState": "s1",
                    "inputRequests": {"who": {"method": "elicitation/create", "params": {
                        "mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {}},
                    }}},
                }),
            ),
        },
        other => panic!("no tool {other}"),
    }
}

/// Names of all tools that a script has, with those that say more of themselves.
pub(crate) fn normal() -> Vec<Value> {
    let plain = [
        "echo",
        "structured",
        "crash",
        "slow",
        "progress",
        "floats",
        "key",
        "alive",
        "huge",
        "huge_id_last",
        "line",
        "noisy",
        "torn",
        "id_as_text",
        "fails",
        "refuses",
        "refuses_anyhow",
        "nonsense",
        "neither",
        "ask",
        "change",
        "needs",
        "pings",
        "pinged",
        "late_task",
    ];
    let mut tools: Vec<_> = plain.iter().map(|name| tool(name)).collect();
    // Defaults are the server's: they are neither added nor looked at.
    tools[0]["inputSchema"]["properties"] =
        json!({"d": {"default": 1}, "e": {"type": "integer", "default": "none"}});
    let mut idempotent = tool("crash_idempotent");
    idempotent["annotations"] = json!({"idempotentHint": true});
    tools.push(idempotent);
    tools
}
