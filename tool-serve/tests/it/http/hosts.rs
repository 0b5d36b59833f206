//! What a host says of its server, and of each request.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use toolwright::layers::Approval;
use toolwright::serve::axum::extract::Request;
use toolwright::serve::axum::http::StatusCode;
use toolwright::serve::axum::middleware::{Next, from_fn};
use toolwright::serve::http::HttpServer;
use toolwright::{
    Context, DynTool, ToolDef, Toolset,
    call::{Cancel, Scope},
    schema::SchemaDoc,
    tool, tools,
};

use super::client::{Served, read, serve_tools, serve_with};

/// Only for Ada.
#[tool(visible = is_ada)]
fn hers() -> u8 {
    1
}

fn is_ada(scope: &Scope<'_>) -> bool {
    scope.input == Some("ada")
}

/// For everybody.
#[tool]
fn ours() -> u8 {
    2
}

/// Serves these to whoever is told by a header.
fn by_header(server: HttpServer) -> HttpServer {
    server.routes(|router| {
        router.layer(from_fn(|mut request: Request, next: Next| {
            if let Some(who) = request.headers().get("x-who") {
                let who = who.to_str().unwrap().to_owned();
                let cx = Context::new().with_input(who);
                request.extensions_mut().insert(cx);
            }
            next.run(request)
        }))
    })
}

fn listed_over_mcp(served: &Served, who: &str) -> Value {
    let mut stream = served.connect();
    let request = served.mcp_request("tools/list", serde_json::json!({}), who);
    stream.write_all(&request).unwrap();
    let answer = read(stream);
    assert_eq!(answer.status, 200, "{answer:?}");
    // It is whole, so that its length is told.
    assert!(answer.header("content-length").is_some(), "{answer:?}");
    answer.json()["result"]["tools"].clone()
}

#[test]
fn lists_show_what_whoever_asks_may_see() {
    let served = serve_tools(tools![hers, ours], by_header);
    for (who, sees) in [("", false), ("X-Who: ada\r\n", true)] {
        let listed = served.get_with("/tools", who);
        assert_eq!(listed.body.contains(r#""hers""#), sees, "{listed:?}");
        let document = served.get_with("/openapi.json", who);
        assert_eq!(document.body.contains("/tools/hers"), sees, "{document:?}");
        let definitions = served.get_with("/tools/hers/definitions", who);
        if sees {
            assert_eq!(definitions.status, 200, "{definitions:?}");
        } else {
            // In the same words as a tool that is nowhere.
            let nowhere = served.get_with("/tools/xxxx/definitions", who);
            assert_eq!(definitions.status, 404, "{definitions:?}");
            assert_eq!(definitions.body, nowhere.body.replace("xxxx", "hers"));
        }
        let names = listed_over_mcp(&served, who).to_string();
        assert_eq!(names.contains(r#""hers""#), sees, "{names}");
        assert!(names.contains(r#""ours""#), "{names}");
        let headers = format!("{who}Content-Type: application/json\r\n");
        let status = served.call_with("hers", b"{}", &headers).status;
        assert_eq!(status, if sees { 200 } else { 404 });
    }
}

#[test]
fn lists_hold_no_words_that_nobody_sees() {
    let mut def = ToolDef::new("declared", "Does it.\u{e0041}\u{202e}");
    let schema = r#"{"type": "object", "properties": {"a": {"description": "Adds\u200b"}}}"#;
    def.input = SchemaDoc::parse(schema).unwrap();
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let served = serve_tools(tools, |server| server);
    let paths = ["/tools", "/openapi.json", "/tools/declared/definitions"];
    let mut said: Vec<_> = paths
        .iter()
        .map(|path| served.get_with(path, "").json().to_string())
        .collect();
    said.push(listed_over_mcp(&served, "").to_string());
    for said in said {
        assert!(said.contains("Does it."), "{said}");
        assert!(
            !said.contains(['\u{e0041}', '\u{202e}', '\u{200b}']),
            "{said}"
        );
    }
}

static RUNNING: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

async fn for_a_while() -> usize {
    let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
    MOST.fetch_max(running, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(30)).await;
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    running
}

/// Runs alone.
#[tool(exclusive)]
async fn alone() -> usize {
    for_a_while().await
}

/// Runs beside others.
#[tool]
async fn beside() -> usize {
    for_a_while().await
}

#[test]
fn exclusive_tools_run_alone_however_calls_come() {
    let served = serve_tools(tools![alone, beside], |server| server);
    let ask = |tool: &'static str| {
        let mut stream = served.connect();
        let request = served.request(tool, b"{}", "Content-Type: application/json\r\n");
        stream.write_all(&request).unwrap();
        stream
    };
    let streams: Vec<_> = ["beside", "alone", "beside", "alone", "beside", "beside"]
        .map(|tool| (tool, ask(tool)))
        .into();
    for (tool, stream) in streams {
        let running = read(stream).json()["value"].clone();
        assert!(tool == "beside" || running == 1, "{tool}: {running}");
    }
    // Each sees who began before it; so no call of `alone` ran when another began.
    assert!(MOST.load(Ordering::SeqCst) <= 4);
}

static OPEN: AtomicBool = AtomicBool::new(false);
static HELD: AtomicBool = AtomicBool::new(false);

/// Runs until the gate is open.
#[tool]
async fn held() -> bool {
    HELD.store(true, Ordering::SeqCst);
    while !OPEN.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}

/// Says whether the gate was open.
#[tool(exclusive)]
fn solo() -> bool {
    OPEN.load(Ordering::SeqCst)
}

#[test]
fn nobody_waits_for_an_exclusive_call_that_waits() {
    let served = serve_tools(tools![held, solo, ours], |server| server);
    let ask = |tool: &'static str| {
        let mut stream = served.connect();
        let request = served.request(tool, b"{}", "Content-Type: application/json\r\n");
        stream.write_all(&request).unwrap();
        stream
    };
    let first = ask("held");
    while !HELD.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = ask("solo");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(served.call("ours", "{}").status, 200);
    OPEN.store(true, Ordering::SeqCst);
    assert_eq!(read(first).json()["value"], true);
    assert_eq!(read(second).json()["value"], true);
}

/// Runs alone, and not long.
#[tool(exclusive, timeout = "300ms")]
async fn soon_over() -> u8 {
    1
}

#[test]
fn a_call_waits_for_its_turn_no_longer_than_it_might_run() {
    for headers in ["", "Accept: text/event-stream\r\n"] {
        let served = serve_tools(tools![hang, soon_over], |server| server);
        let mut first = served.connect();
        let request = served.request("hang", b"{}", "Content-Type: application/json\r\n");
        first.write_all(&request).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let mut second = served.connect();
        let headers = format!("Content-Type: application/json\r\n{headers}");
        let request = served.request("soon_over", b"{}", &headers);
        second.write_all(&request).unwrap();
        let answer = read(second);
        let is_stream = headers.contains("event-stream");
        assert_eq!(answer.status, if is_stream { 200 } else { 504 });
        assert!(
            answer
                .body
                .contains("timed out after 300ms of waiting for its turn"),
            "{answer:?}"
        );
        // Whoever ends makes room.
        drop(first);
        let mut then = served.call("soon_over", "{}");
        for _ in 0..20 {
            if then.status == 200 {
                break;
            }
            then = served.call("soon_over", "{}");
        }
        assert_eq!(then.json()["value"], 1, "{then:?}");
    }
}

/// Never ends by itself.
#[tool]
async fn hang() -> u8 {
    std::future::pending().await
}

#[test]
fn the_hosts_own_cancel_ends_calls_too() {
    for headers in ["", "Accept: text/event-stream\r\n"] {
        let stop = Cancel::new();
        let cx = Context::new().with_cancel(stop.clone());
        let served = serve_tools(tools![hang], |server| server.context(cx));
        let mut stream = served.connect();
        let headers = format!("Content-Type: application/json\r\n{headers}");
        let request = served.request("hang", b"{}", &headers);
        stream.write_all(&request).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        stop.cancel();
        let answer = read(stream);
        assert!(answer.body.contains(r#""cancelled""#), "{answer:?}");
    }
}

#[test]
fn a_router_of_the_hosts_may_have_a_fallback() {
    let served = serve_with(|server| {
        server.routes(|router| router.fallback(|| async { (StatusCode::IM_A_TEAPOT, "tea") }))
    });
    assert_eq!(served.get("/nowhere").status, 418);
    assert_eq!(served.get("/health").status, 200);
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn what_is_said_of_executors_adds_up() {
    let served = serve_tools(tools![ours, hang], |server| {
        server
            .executor(|executor| {
                executor.layer(Approval::when(|asked| &*asked.call().name == "ours"))
            })
            .executor(|executor| executor.timeout(Duration::from_millis(20)))
    });
    assert_eq!(served.call("ours", "{}").status, 202);
    assert_eq!(served.call("hang", "{}").status, 504);
}

/// Whether the tool is well.
#[tool]
fn health() -> bool {
    true
}

#[test]
fn operations_have_different_ids() {
    let served = serve_tools(tools![health, ours], |server| server);
    let document = served.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths
        .values()
        .flat_map(|path| path.as_object().unwrap().values());
    let ids: Vec<_> = operations
        .map(|operation| operation["operationId"].clone())
        .collect();
    let different: std::collections::BTreeSet<_> = ids.iter().map(Value::to_string).collect();
    assert_eq!(different.len(), ids.len(), "{ids:?}");
    assert_eq!(
        document["paths"]["/tools/health"]["post"]["operationId"],
        "health"
    );
}
