//! `check --foreign` and `lock --foreign`: a server whose tools others wrote, some of them badly.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Named;
use super::program::{Came, command, run};

pub(crate) const TESTS: &[Named] = named![
    the_tools_of_another_server_are_checked,
    a_tool_that_is_lost_fails_the_check,
    a_server_that_cannot_be_asked_is_an_error,
    the_tools_of_another_server_are_locked,
];

const TOKEN: &str = "TOOLWRIGHT_TEST_TOKEN";

/// Runs a server of MCP with this list of tools, which takes the token `secret` if it takes one, until the test ends.
fn serve(tools: Value, token: Option<&'static str>) -> SocketAddr {
    let answer = move |request: Request| {
        let tools = tools.clone();
        async move { respond(request, tools, token).await }
    };
    let (sender, address) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            let app = Router::new().fallback(answer);
            axum::serve(listener, app).await.unwrap();
        });
    });
    address.recv().unwrap()
}

async fn respond(request: Request, tools: Value, token: Option<&str>) -> Response {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let given = request.headers().get("authorization");
    if bearer.is_some() && given.and_then(|given| given.to_str().ok()) != bearer.as_deref() {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await;
    let Ok(message) = serde_json::from_slice::<Value>(&body.unwrap_or_default()) else {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    };
    if message["id"].is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
    match message["method"].as_str() {
        Some("initialize") => {
            answer["result"] = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "other", "version": "1"},
            });
        }
        Some("tools/list") => answer["result"] = json!({"tools": tools}),
        _ => answer["error"] = json!({"code": -32601, "message": "unknown method"}),
    }
    ([("content-type", "application/json")], answer.to_string()).into_response()
}

fn check(address: SocketAddr, more: &[&str]) -> Came {
    let url = format!("http://{address}/mcp");
    run(&[&["check", "--foreign", &url], more].concat())
}

/// Two good tools, and one that a strict mode cannot express.
fn tools() -> Value {
    json!([
        {"name": "read page", "description": "Reads\u{200b}.", "inputSchema": {
            "type": "object", "properties": {"page[size]": {"type": "integer"}}, "required": ["page[size]"],
        }},
        {"name": "never", "description": "Cannot be called.", "inputSchema": {
            "type": "object", "properties": {"x": false}, "required": ["x"],
        }},
        {"name": "ping", "description": "Pings.", "inputSchema": {"type": "object"}},
    ])
}

fn the_tools_of_another_server_are_checked() {
    let address = serve(tools(), None);
    let came = check(address, &["--target", "mcp_2026_07_28"]);
    assert_eq!(came.code, 0, "{came:?}");
    // What the client changed, and what the dialect would.
    assert!(came.out.contains("tool `read_page` renamed"), "{came:?}");
    assert!(came.out.contains("tool `read_page` changed"), "{came:?}");
    assert!(came.out.contains("mcp_2026_07_28 accepts"), "{came:?}");
    // None of this program's own.
    assert!(!came.out.contains("get_forecast"), "{came:?}");

    let came = check(
        address,
        &["--target", "openai_strict,anthropic", "--output", "json"],
    );
    assert_eq!(came.code, 1, "{came:?}");
    let reports = came.json();
    assert_eq!(reports[0]["dialect"], "openai_strict");
    assert_eq!(reports[0]["accepted"], false);
    let problems = reports[0]["problems"].as_array().unwrap();
    let of_never = problems.iter().filter(|one| one["tool"] == "never");
    let codes: Vec<_> = of_never.map(|one| one["code"].clone()).collect();
    assert_eq!(codes, ["false_schema"]);
    let kinds = |report: &Value| -> Vec<Value> {
        let notices = report["notices"].as_array().unwrap().iter();
        notices.map(|notice| notice["kind"].clone()).collect()
    };
    assert_eq!(kinds(&reports[0]), ["hidden_removed", "renamed"]);
    assert_eq!(kinds(&reports[1]), ["hidden_removed", "renamed"]);
}

fn a_tool_that_is_lost_fails_the_check() {
    let twice = json!([
        {"name": "ping", "description": "Pings.", "inputSchema": {"type": "object"}},
        {"name": "ping", "description": "Pings again.", "inputSchema": {"type": "object"}},
        {"name": "text", "description": "Has no object.", "inputSchema": {"type": "string"}},
    ]);
    let came = check(serve(twice, None), &["--target", "mcp_2026_07_28"]);
    assert_eq!(came.code, 1, "{came:?}");
    assert!(came.out.contains("tool `ping` refused"), "{came:?}");
    assert!(came.out.contains("tool `text` refused"), "{came:?}");
    assert!(came.out.contains("mcp_2026_07_28 accepts"), "{came:?}");
}

fn a_server_that_cannot_be_asked_is_an_error() {
    let target = ["--target", "all"];
    let came = run(&[
        &["check", "--foreign", "http://127.0.0.1:1/mcp"],
        &target[..],
    ]
    .concat());
    assert_eq!((came.code, &*came.out), (1, ""), "{came:?}");
    assert!(came.err.contains("error:"), "{came:?}");

    let address = serve(tools(), Some("secret"));
    let came = check(address, &target);
    assert_eq!((came.code, &*came.out), (1, ""), "{came:?}");
    assert!(came.err.contains("401"), "{came:?}");
    // A variable that is not set is an error of the command line.
    let url = format!("http://{address}/mcp");
    let with_token = [
        "check",
        "--foreign",
        &url,
        "--target",
        "mcp_2026_07_28",
        "--token-env",
        TOKEN,
    ];
    assert_eq!(run(&with_token).code, 2);
    let came = Came::of(command(&with_token).env(TOKEN, "secret").output().unwrap());
    assert_eq!(came.code, 0, "{came:?}");
    let came = run(&["check", "--target", "all", "--token-env", TOKEN]);
    assert_eq!(came.code, 2, "{came:?}");
    assert!(came.err.contains("--foreign"), "{came:?}");
}

fn the_tools_of_another_server_are_locked() {
    let file = std::env::temp_dir().join(format!("toolwright-{}.lock", std::process::id()));
    let path = file.to_str().unwrap();
    let lock = |address: SocketAddr, more: &[&str]| {
        let url = format!("http://{address}/mcp");
        run(&[&["lock", path, "--foreign", &url], more].concat())
    };
    let address = serve(tools(), None);
    let came = lock(address, &[]);
    assert_eq!(came.code, 1, "{came:?}");
    assert!(came.err.contains("is missing"), "{came:?}");
    assert!(!file.exists());
    let came = lock(address, &["--update"]);
    assert_eq!(came.code, 0, "{came:?}");
    assert!(
        came.out.contains("minor: `read_page`: the tool is new"),
        "{came:?}"
    );
    let came = lock(address, &[]);
    assert_eq!(came.code, 0, "{came:?}");

    let mut tools = tools();
    tools[2]["description"] = "Pings \u{1b}[31mall.".into();
    let address = serve(tools, None);
    let came = lock(address, &[]);
    assert_eq!(came.code, 1, "{came:?}");
    // The client takes out what nobody sees.
    let words = r#"patch: `ping`: it says "Pings [31mall." now, and said "Pings.""#;
    assert!(came.err.contains(words), "{came:?}");
    assert_eq!(lock(address, &["--update"]).code, 0);
    assert_eq!(lock(address, &[]).code, 0);
    // None of this program's own.
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("get_forecast"), "{text}");
    std::fs::remove_file(&file).unwrap();
}
