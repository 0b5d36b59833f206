//! Greetings of servers that are older, or behind something that is not a server of MCP, and redirects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};
use toolwright::tools;
use toolwright_mcp::{self as mcp, ConnectErrorKind, McpServer, ServerAt};

use super::raw_http::{Asked, Reply, Server, answered, plain};
use super::texts::raw_pipe;
use super::{call, text};

/// Answers the newer greeting so, and the rest as a plain server.
async fn probed(probe: impl Fn() -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |asked| match asked.json()["method"].as_str() {
        Some("server/discover") => probe(),
        _ => plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done"))),
    })
    .await
}

fn greeted(server: &Server) -> usize {
    let asked = server.asked().into_iter();
    let greeted = asked.filter(|asked| asked.json()["method"] == "initialize");
    greeted.count()
}

/// Gateways let only the methods through that they know.
#[tokio::test]
async fn whatever_answers_the_newer_greeting_the_older_one_is_tried() {
    let html = |status| Reply::new(status, "text/html", "<p>Oh no</p>");
    for name in [
        "403 Forbidden",
        "429 Too Many Requests",
        "500 Internal Server Error",
        "502 Bad Gateway",
        "503 Service Unavailable",
        "303 See Other",
        "200 OK",
        "202 Accepted",
        "204 No Content",
        "empty",
        "hang up",
    ] {
        let reply = move || match name {
            "202 Accepted" | "204 No Content" => Reply::new(name, "text/plain", ""),
            "empty" => Reply::new("200 OK", "application/json", ""),
            "hang up" => Reply::hang_up(),
            _ => html(name).with("location", "/login"),
        };
        let server = probed(reply).await;
        let start = Instant::now();
        let client = mcp::connect(&*server.url).await;
        let client = client.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(client.protocol(), Some("2025-11-25"), "{name}");
        assert!(start.elapsed() < Duration::from_secs(5), "{name}");
        assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    }
}

#[tokio::test]
async fn a_refusal_for_lack_of_a_token_is_no_sign_of_an_older_server() {
    for reply in [
        || Reply::status("401 Unauthorized"),
        || {
            Reply::status("403 Forbidden")
                .with("www-authenticate", "Bearer error=\"insufficient_scope\"")
        },
    ] {
        let server = probed(reply).await;
        let error = mcp::connect(&*server.url).await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Unauthorized);
        assert_eq!(greeted(&server), 0);
    }
}

#[tokio::test]
async fn the_errors_of_both_greetings_are_told() {
    let server = Server::start(|asked| match asked.json()["method"].as_str() {
        Some("server/discover") => Reply::new("502 Bad Gateway", "text/plain", "upstream"),
        _ => Reply::new("500 Internal Server Error", "text/plain", "no database"),
    })
    .await;
    let words = mcp::connect(&*server.url).await.unwrap_err().to_string();
    assert!(
        words.contains("no database") && words.contains("upstream"),
        "{words}"
    );
    // What is the same is told once.
    let server = Server::start(|_| Reply::status("500 Internal Server Error")).await;
    let words = mcp::connect(&*server.url).await.unwrap_err().to_string();
    assert_eq!(words.matches("500").count(), 1, "{words}");
}

#[tokio::test]
async fn a_strict_client_takes_an_odd_answer_to_the_newer_greeting_for_the_end() {
    let server = probed(|| Reply::status("500 Internal Server Error")).await;
    assert!(mcp::connect(&*server.url).strict().await.is_err());
    assert_eq!(greeted(&server), 0);
}

/// A server at the other end of a pipe, which answers by method.
fn piped(answer: impl Fn(&Value) -> Option<Value> + Clone + Send + Sync + 'static) -> ServerAt {
    raw_pipe(move |asked| {
        let none = || json!({"error": {"code": -32601, "message": "Method not found"}});
        let mut message = answer(asked).unwrap_or_else(none);
        message["jsonrpc"] = "2.0".into();
        message["id"] = asked["id"].clone();
        message.to_string()
    })
}

/// A server of pipes that does not answer the newer greeting; then it answers the older one so, if it waits for so long.
/// Returns how often it was started, too.
fn silent(confused: Option<&'static str>, wait: Duration) -> (ServerAt, Arc<AtomicUsize>) {
    let starts = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&starts);
    let at = ServerAt::pipes(move || {
        count.fetch_add(1, Ordering::SeqCst);
        let (ours, theirs) = duplex(1 << 16);
        tokio::spawn(async move {
            let (input, mut output) = split(theirs);
            let (mut lines, mut was_probed) = (BufReader::new(input).lines(), false);
            while let Ok(Some(line)) = lines.next_line().await {
                let asked: Value = serde_json::from_str(&line).unwrap();
                let mut message = match asked["method"].as_str() {
                    Some("server/discover") => {
                        was_probed = true;
                        continue;
                    }
                    Some("initialize") if was_probed && confused == Some("") => return,
                    Some("initialize") if was_probed && let Some(why) = confused => {
                        json!({"error": {"code": -32000, "message": why}})
                    }
                    Some("initialize") => {
                        tokio::time::sleep(wait).await;
                        hello("2025-11-25", &json!({}))
                    }
                    Some("tools/list") => json!({"result": {"tools": []}}),
                    _ => continue,
                };
                message["jsonrpc"] = "2.0".into();
                message["id"] = asked["id"].clone();
                let _ = output.write_all(format!("{message}\n").as_bytes()).await;
            }
        });
        Ok(split(ours))
    });
    (at, starts)
}

/// supergateway 4.0.0 connects at the first request, whatever it is, and answers the next one that its transport is already started.
#[tokio::test(start_paused = true)]
async fn a_server_that_the_newer_greeting_confuses_is_started_again() {
    let at_once = Duration::ZERO;
    for (confused, wait, starts) in [
        (Some("already started"), at_once, 2),
        (Some("already started"), Duration::from_secs(20), 2),
        // It disconnects.
        (Some(""), at_once, 2),
        (None, at_once, 1),
        // It is slow to start, and would be as slow once more.
        (None, Duration::from_secs(40), 1),
    ] {
        let (at, started) = silent(confused, wait);
        let client = mcp::connect(at).await;
        let client = client.unwrap_or_else(|error| panic!("{confused:?} {wait:?}: {error}"));
        assert_eq!(client.protocol(), Some("2025-11-25"));
        let row = format!("{confused:?} {wait:?}");
        assert_eq!(started.load(Ordering::SeqCst), starts, "{row}");
    }
    let (at, started) = silent(Some("already started"), at_once);
    let words = mcp::connect(at)
        .connect_timeout(Duration::from_secs(5))
        .await;
    assert!(words.is_err());
    assert_eq!(started.load(Ordering::SeqCst), 1);
}

fn hello(version: &str, capabilities: &Value) -> Value {
    json!({"result": {"protocolVersion": version, "capabilities": capabilities,
        "serverInfo": {"name": "old", "version": "0.6.2"}}})
}

#[tokio::test]
async fn servers_without_tools_connect() {
    for capabilities in [json!({}), json!({"prompts": {}}), json!({"resources": {}})] {
        let at = piped(move |asked| {
            (asked["method"] == "initialize").then(|| hello("2025-11-25", &capabilities))
        });
        let client = mcp::connect(at).await.unwrap();
        assert_eq!(client.toolset().iter().len(), 0);
    }
    for (status, body) in [
        ("404 Not Found", json!({})),
        ("405 Method Not Allowed", json!({})),
        ("501 Not Implemented", json!({})),
        ("404 Not Found", json!({"code": -32601, "message": "no"})),
        (
            "405 Method Not Allowed",
            json!({"code": -32601, "message": "no"}),
        ),
        (
            "501 Not Implemented",
            json!({"code": -32601, "message": "no"}),
        ),
    ] {
        for (capabilities, session) in [
            (json!({}), ""),
            (json!({}), "1"),
            (json!({"tools": {}}), ""),
        ] {
            let (has_tools, error) = (capabilities != json!({}), body.clone());
            let server = Server::start(move |asked| {
                let id = asked.json()["id"].clone();
                let mut message = json!({"jsonrpc": "2.0", "id": id});
                match asked.json()["method"].as_str() {
                    Some("initialize") => {
                        message["result"] = hello("2025-11-25", &capabilities)["result"].clone();
                        let reply = Reply::json(&message);
                        if session.is_empty() {
                            reply
                        } else {
                            reply.with("mcp-session-id", session)
                        }
                    }
                    Some("tools/list") if error == json!({}) => Reply::status(status),
                    Some("tools/list") => {
                        message["error"] = error.clone();
                        Reply::new(status, "application/json", message.to_string())
                    }
                    _ => plain(asked).unwrap(),
                }
            })
            .await;
            let connected = mcp::connect(&*server.url).await;
            let row = format!("{status} {body} {session:?} {has_tools}: {connected:?}");
            assert_eq!(connected.is_err(), has_tools, "{row}");
        }
    }
    // One that announces tools has to list them.
    let at = piped(|asked| {
        (asked["method"] == "initialize").then(|| hello("2025-11-25", &json!({"tools": {}})))
    });
    let error = mcp::connect(at).await.unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::List, "{error}");
}

/// `@modelcontextprotocol/server-memory` and `server-sequential-thinking` 0.6.2.
#[tokio::test]
async fn a_server_of_2024_11_05_is_spoken_to() {
    let at = piped(|asked| match asked["method"].as_str() {
        Some("initialize") => Some(hello("2024-11-05", &json!({"tools": {}}))),
        Some("tools/list") => Some(json!({"result": {"tools": [
            {"name": "echo", "inputSchema": {"type": "object"}},
        ]}})),
        Some("tools/call") => {
            Some(json!({"result": {"content": [{"type": "text", "text": "done"}]}}))
        }
        _ => None,
    });
    let client = mcp::connect(at).await.unwrap();
    assert_eq!(client.protocol(), Some("2024-11-05"));
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
}

/// SDKs refuse a version that is newer than they are, such as the TypeScript SDK 1.0.1.
#[tokio::test]
async fn a_client_of_2024_11_05_is_served() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2024-11-05"),
        ("2024-10-07", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-09-01", "2025-06-18"),
        ("2026-07-28", "2025-11-25"),
        ("1", "2024-11-05"),
    ] {
        let (ours, theirs) = duplex(1 << 16);
        let (input, output) = split(theirs);
        tokio::spawn(McpServer::new(tools![]).serve_pipe(input, output));
        let (input, mut output) = split(ours);
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}});
        let lists = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        output
            .write_all(format!("{hello}\n{lists}\n").as_bytes())
            .await
            .unwrap();
        let mut lines = BufReader::new(input).lines();
        let answer: Value =
            serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
        let answer: Value =
            serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["result"]["tools"], json!([]), "{asked}");
    }
}

#[tokio::test]
async fn the_older_transport_over_http_is_named() {
    for status in ["404 Not Found", "405 Method Not Allowed"] {
        let server = Server::start(move |asked| match &*asked.method {
            "GET" => Reply {
                open_for: Duration::from_secs(5),
                ..Reply::events("event: endpoint\ndata: /messages?session_id=1\n\n")
            },
            _ => Reply::status(status),
        })
        .await;
        let start = Instant::now();
        let words = mcp::connect(&*server.url).await.unwrap_err().to_string();
        assert!(
            words.contains("HTTP+SSE") && words.contains("`/mcp` in place of `/sse`"),
            "{words}"
        );
        assert!(start.elapsed() < Duration::from_secs(4));
    }
    // Another stream is not that transport.
    let server = Server::start(move |asked| match &*asked.method {
        "GET" => Reply::events("data: {}\n\n"),
        _ => Reply::status("404 Not Found"),
    })
    .await;
    let words = mcp::connect(&*server.url).await.unwrap_err().to_string();
    assert!(!words.contains("HTTP+SSE"), "{words}");
}

/// A server that answers at `to`, and redirects from elsewhere.
async fn moved(status: &'static str, to: &'static str) -> Server {
    Server::start(move |asked| {
        if asked.path != to {
            return Reply::status(status).with("location", to);
        }
        plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, &asked.body)))
    })
    .await
}

/// modelcontextprotocol/python-sdk#732, PrefectHQ/fastmcp#1867, BerriAI/litellm#23688.
#[tokio::test]
async fn a_redirect_within_the_origin_is_followed() {
    for status in ["307 Temporary Redirect", "308 Permanent Redirect"] {
        // A slash more, and a token.
        let server = moved(status, "/mcp/").await;
        let client = mcp::connect(&*server.url).bearer("s3cret").await.unwrap();
        let body = text(&call(&client.toolset(), "echo", r#"{"n": 1.10}"#).await);
        assert!(body.contains(r#"{"n": 1.10}"#), "{body}");
        let last = server.asked().pop().unwrap();
        let sent = (
            &*last.path,
            last.header("authorization"),
            last.header("mcp-protocol-version"),
        );
        assert_eq!(sent, ("/mcp/", "Bearer s3cret", "2025-11-25"));
        // A slash less.
        let server = moved(status, "/mcp").await;
        let client = mcp::connect(format!("{}/", server.url))
            .header("x-key", "k")
            .await;
        assert_eq!(client.unwrap().toolset().iter().len(), 2);
        // Without a token and a header of the host, anywhere.
        let server = moved(status, "/v2/tools?x=1").await;
        let client = mcp::connect(&*server.url).await.unwrap();
        assert_eq!(client.toolset().iter().len(), 2);
    }
}

#[tokio::test]
async fn another_redirect_is_an_error_that_names_the_place() {
    let elsewhere = Server::start(|asked| plain(asked).unwrap()).await;
    let at = elsewhere.url.clone();
    let (port, localhost) = (at.clone(), at.replace("127.0.0.1", "localhost"));
    let secure = at.replace("http://", "https://");
    let table: Vec<(&str, String, bool)> = vec![
        // Another origin, with and without a token.
        ("307 Temporary Redirect", port.clone(), false),
        ("307 Temporary Redirect", port, true),
        ("308 Permanent Redirect", localhost, false),
        ("308 Permanent Redirect", secure, false),
        // Another path, with a token.
        ("307 Temporary Redirect", "/other".to_owned(), true),
        ("307 Temporary Redirect", "/mcp/below".to_owned(), true),
        // What may change the method.
        ("301 Moved Permanently", "/mcp/".to_owned(), false),
        ("302 Found", "/mcp/".to_owned(), false),
        ("303 See Other", "/login".to_owned(), false),
        // Without an end.
        ("307 Temporary Redirect", "/mcp".to_owned(), false),
    ];
    for (status, place, has_token) in table {
        let to = place.clone();
        let server = Server::start(move |asked: &Asked| match asked.path.split('?').next() {
            Some("/mcp") => Reply::status(status).with("location", &format!("{to}?key=s3cret")),
            _ => plain(asked).unwrap(),
        })
        .await;
        let mut connector = mcp::connect(&*server.url).initialize();
        if has_token {
            connector = connector.bearer("token");
        }
        let error = connector.await.expect_err(&place);
        let words = error.to_string();
        assert!(
            words.contains(&format!("to `{place}`, which is not followed")),
            "{status}: {words}"
        );
        assert!(!words.contains("s3cret"), "{words}");
        assert_eq!(elsewhere.asked().len(), 0, "{status} {place}");
        let most = if place == "/mcp" { 4 } else { 1 };
        assert_eq!(server.asked().len(), most, "{status} {place}");
    }
    let server = moved("307 Temporary Redirect", "/mcp/").await;
    assert!(mcp::connect(&*server.url).strict().await.is_err());
    // A password in the URL is a header of the host's.
    for (user, place, is_followed) in [
        ("me:s3cret@", "/mcp/", true),
        ("me:s3cret@", "/other", false),
        ("me@", "/other", false),
        (":s3cret@", "/other", false),
        ("", "/other", true),
    ] {
        let server = moved("307 Temporary Redirect", place).await;
        let url = server.url.replace("http://", &format!("http://{user}"));
        let connected = mcp::connect(&*url).initialize().await;
        assert_eq!(connected.is_ok(), is_followed, "{user} {place}");
        let went = server.asked().into_iter().any(|asked| asked.path == place);
        assert_eq!(went, is_followed, "{user} {place}");
    }
}
