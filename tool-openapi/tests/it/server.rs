//! Requests to a server on this machine, by the default client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use toolwright::{Context, ToolCall};
use toolwright_openapi::OpenApi;

use crate::document;

/// Answers all requests alike, and keeps their texts.
pub(crate) async fn server(answer: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = Vec::new();
            let mut piece = [0; 4096];
            loop {
                let count = stream.read(&mut piece).await.unwrap();
                bytes.extend(&piece[..count]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let length = text
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
                let Some((_, body)) = text.split_once("\r\n\r\n") else {
                    continue;
                };
                if body.len() >= length.unwrap_or(0) {
                    seen.lock().unwrap().push(text);
                    break;
                }
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, requests)
}

pub(crate) fn response(head: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

async fn run(text: &str, url: &str, arguments: &str) -> Result<String, String> {
    let api = OpenApi::parse(text)
        .unwrap()
        .base_url(url)
        .unwrap()
        .bearer("tok-123")
        .max_bytes(1000);
    let tools = api.toolset().unwrap();
    let outcome = tools
        .call(&ToolCall::new("1", "run", arguments), &Context::new())
        .await
        .outcome;
    outcome
        .map(|outcome| outcome.payload().unwrap().to_json().into_owned())
        .map_err(|error| error.to_string())
}

const PATHS: &str = r#""/orders/{id}": {"post": {"operationId": "run", "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"note": {"type": "string"}}}}}}}}"#;

#[tokio::test]
async fn a_call_is_a_request() {
    let (url, requests) = server(response(
        "200 OK\r\ncontent-type: application/json",
        r#"{"ok": true}"#,
    ))
    .await;
    let answer = run(
        &document(PATHS, ""),
        &format!("{url}/v1"),
        r#"{"id": "a/b c", "note": "hi"}"#,
    )
    .await;
    assert_eq!(answer.unwrap(), r#"{"ok":true}"#);
    let request = requests.lock().unwrap().pop().unwrap();
    assert!(
        request.starts_with("POST /v1/orders/a%2Fb%20c HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.contains("authorization: Bearer tok-123\r\n")
            && request.ends_with(r#"{"note":"hi"}"#),
        "{request}"
    );
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (other, others) = server(response("200 OK", "stolen")).await;
    for status in [
        "301 Moved",
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let (url, requests) =
            server(response(&format!("{status}\r\nlocation: {other}/x"), "")).await;
        let error = run(&document(PATHS, ""), &url, r#"{"id": "7"}"#)
            .await
            .unwrap_err();
        assert!(
            error.contains("redirects are not followed") && error.contains(&other),
            "{error}"
        );
        assert_eq!(requests.lock().unwrap().len(), 1);
    }
    assert!(others.lock().unwrap().is_empty());
}

#[tokio::test]
async fn huge_answers_are_cut() {
    let (url, _) = server(response(
        "200 OK\r\ncontent-type: text/plain",
        &"x".repeat(100_000),
    ))
    .await;
    let answer = run(&document(PATHS, ""), &url, r#"{"id": "7"}"#)
        .await
        .unwrap();
    assert!(
        answer.len() < 1_100 && answer.contains("[the answer is longer and was cut]"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_without_the_url() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let schemes = r#""components": {"securitySchemes": {"k": {"type": "apiKey", "in": "query", "name": "api_key"}}}"#;
    let text = document(PATHS, schemes);
    let api = OpenApi::parse(&text)
        .unwrap()
        .base_url(&url)
        .unwrap()
        .api_key("k", "secret-key");
    let tools = api.toolset().unwrap();
    let call = ToolCall::new("1", "run", r#"{"id": "7"}"#);
    let error = tools
        .call(&call, &Context::new())
        .await
        .outcome
        .unwrap_err();
    assert!(
        error.to_string().starts_with("the API cannot be reached"),
        "{error}"
    );
    assert!(!format!("{error} {error:?}").contains("secret-key") && !error.is_outcome_unknown());
}

/// The outcome of a write is unknown if the server does not answer. A read has none.
#[tokio::test]
async fn a_server_that_does_not_answer_has_a_time_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let paths = r#""/a": {"get": {"operationId": "read"}, "post": {"operationId": "write"}, "put": {"operationId": "replace"}}"#;
    let text = document(paths, "");
    let api = OpenApi::parse(&text).unwrap().base_url(&url).unwrap();
    let tools = api.timeout(Duration::from_millis(100)).toolset().unwrap();
    for (name, is_unknown) in [("read", false), ("write", true), ("replace", false)] {
        let (call, cx) = (ToolCall::new("1", name, "{}"), Context::new());
        let error = tools.call(&call, &cx).await.outcome.unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the API did not answer in time"),
            "{error}"
        );
        assert_eq!(error.is_outcome_unknown(), is_unknown, "{name}");
    }
}

/// The example that the guide shows, run against this server: its output is the page's.
#[tokio::test]
async fn the_example_prints_what_the_page_shows() {
    let (url, requests) = server(response(
        "200 OK\r\ncontent-type: application/json",
        r#"[{"id": "7"}]"#,
    ))
    .await;
    let run = tokio::process::Command::new(example())
        .env("SHOP_URL", &url)
        .env("SHOP_TOKEN", "tok-123")
        .output();
    let output = run.await.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        include_str!("../../examples/shop.txt")
    );
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].starts_with("GET /orders?customer=Ann&api-version=2024-01-01 HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
}

/// Returns the path of the example's program, which cargo builds beside the tests.
fn example() -> std::path::PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/shop")
}

#[test]
fn a_call_that_cannot_be_sent_waits_for_nobody() {
    use toolwright::{Executor, layers::Approval};
    let text = document(PATHS, "");
    let tools = OpenApi::parse(&text).unwrap().toolset().unwrap();
    let executor = Executor::serial(&tools).layer(Approval::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let call = |arguments: &str| [ToolCall::new("1", "run", arguments)];
    let batch = runtime.block_on(executor.run(&call(r#"{"id": "../7"}"#), &Context::new()));
    assert_eq!((batch.pending().count(), batch.results().count()), (0, 1));
    let batch = runtime.block_on(executor.run(&call(r#"{"id": "7"}"#), &Context::new()));
    assert_eq!(batch.pending().count(), 1);
}

/// The program: what of a document is not a tool, its tools, and a call.
#[cfg(feature = "program")]
#[tokio::test]
async fn the_program_checks_lists_and_calls() {
    let (url, requests) = server(response(
        "200 OK\r\ncontent-type: application/json",
        r#"[{"id": "7"}]"#,
    ))
    .await;
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/shop.json");
    let run = async |arguments: &[&str]| {
        let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_toolwright-openapi"));
        let options = [
            "--base-url",
            &url,
            "--preset=api-version=1",
            "--bearer-env",
            "SHOP_TOKEN",
        ];
        let (command, behind) = arguments.split_first().unwrap();
        program.arg(command).args(options).args(behind);
        let output = program
            .env("SHOP_TOKEN", "tok-123")
            .stdin(std::process::Stdio::null())
            .output()
            .await
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (code, text) = run(&["check", document]).await;
    assert!(
        code == Some(1) && text.contains("POST /legacy: left out"),
        "{text}"
    );
    let (code, text) = run(&["list", document]).await;
    assert!(
        code == Some(0) && text.contains("list_orders") && text.contains("cancel_order"),
        "{text}"
    );
    let (code, text) = run(&["call", document, "list_orders", "--customer", "Ann"]).await;
    assert!(
        code == Some(0) && text.contains("\"id\""),
        "{code:?} {text}"
    );
    assert!(requests.lock().unwrap()[0].contains("authorization: Bearer tok-123"));
    // Without a person, nothing is changed.
    let (code, text) = run(&["call", document, "cancel_order", "--id", "7"]).await;
    assert_eq!(
        (code, requests.lock().unwrap().len()),
        (Some(5), 1),
        "{text}"
    );
    let (code, text) = run(&[
        "call",
        "--unattended",
        document,
        "cancel_order",
        "--id",
        "7",
    ])
    .await;
    assert_eq!(
        (code, requests.lock().unwrap().len()),
        (Some(0), 2),
        "{text}"
    );
    assert_eq!(run(&["serve"]).await.0, Some(2));
}
