//! What differs between versions of the protocol: greetings, batches, sessions and streams, headers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use toolwright_mcp::{self as mcp, ClientEvent, ConnectErrorKind, Connector, NoticeKind};

use super::raw_http::{Asked, Reply, Server, answered, plain};
use super::{call, text, told};

/// What a plain server answers, in this version, to all but calls.
fn plain_of(version: &str, asked: &Asked) -> Option<Reply> {
    let reply = plain(asked)?;
    let body = String::from_utf8(reply.body.clone()).unwrap();
    let body = body.replace("2025-11-25", version);
    Some(Reply {
        body: body.into(),
        ..reply
    })
}

#[tokio::test]
async fn versions_that_are_spoken_are_agreed_on_and_others_refused_by_name() {
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "1"] {
        let server = Server::start(move |asked| plain_of(version, asked).unwrap()).await;
        let connected = mcp::connect(&*server.url).await;
        if version > "2024" {
            let client = connected.unwrap();
            assert_eq!(client.protocol(), Some(version));
            let last = server.asked().pop().unwrap();
            assert_eq!(last.header("mcp-protocol-version"), version);
            continue;
        }
        let error = connected.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Handshake);
        let words = error.to_string();
        assert!(
            words.contains(version) && words.contains("2025-11-25"),
            "{words}"
        );
    }
}

/// What a connection to a server comes to that answers the newer greeting so: the version, or why there is none; and how
/// often it was greeted as an older one.
async fn discovered(status: &'static str, answer: Value) -> (Result<String, String>, usize) {
    discovered_by(status, answer, |connector| connector).await
}

async fn discovered_by(
    status: &'static str,
    answer: Value,
    change: fn(Connector) -> Connector,
) -> (Result<String, String>, usize) {
    let server = Server::start(move |asked| {
        let message = asked.json();
        let mut answer = answer.clone();
        match message["method"].as_str() {
            Some("server/discover") => {
                assert!(message["params"]["_meta"].as_object().unwrap().len() >= 3);
                answer["id"] = message["id"].clone();
                answer["jsonrpc"] = "2.0".into();
                Reply::new(status, "application/json", answer.to_string())
            }
            _ => plain(asked).unwrap(),
        }
    })
    .await;
    let connected = change(mcp::connect(&*server.url)).await;
    let version = match connected {
        Ok(client) => Ok(client.protocol().unwrap().to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let asked = server.asked().into_iter();
    let greeted = asked.filter(|asked| asked.json()["method"] == "initialize");
    (version, greeted.count())
}

fn error(code: i64, data: &Value) -> Value {
    json!({"error": {"code": code, "message": "no", "data": data}})
}

#[tokio::test]
async fn an_older_server_is_greeted_as_one() {
    let old = (Ok("2025-11-25".to_owned()), 1);
    for (status, answer) in [
        ("400 Bad Request", error(-32600, &Value::Null)),
        ("404 Not Found", error(-32601, &Value::Null)),
        ("200 OK", error(-32601, &Value::Null)),
        (
            "200 OK",
            error(-32022, &json!({"supported": ["2025-11-25"]})),
        ),
        (
            "200 OK",
            json!({"result": {"supportedVersions": ["2025-06-18"]}}),
        ),
        ("200 OK", json!({"result": {}})),
    ] {
        assert_eq!(discovered(status, answer.clone()).await, old, "{answer}");
    }
    let new =
        json!({"result": {"supportedVersions": ["2030-01-01", "2026-07-28"], "capabilities": {}}});
    let new = discovered("200 OK", new).await;
    assert_eq!(new, (Ok("2026-07-28".to_owned()), 0));
}

#[tokio::test]
async fn a_server_of_other_versions_alone_is_not_greeted_as_an_older_one() {
    let answer = error(-32022, &json!({"supported": ["2030-01-01"]}));
    let (version, greeted) = discovered("400 Bad Request", answer).await;
    assert!(version.is_err() && greeted == 0, "{version:?}");
}

/// Codes of 2026-07-28 are no sign that a server does not know `initialize`, too.
#[tokio::test]
async fn a_newer_error_that_names_no_version_does_not_end_the_greeting() {
    for status in ["200 OK", "400 Bad Request"] {
        for answer in [
            error(-32022, &Value::Null),
            error(-32022, &json!({"supported": null})),
            error(-32022, &json!({"supported": []})),
            error(-32022, &json!({"supported": "2025-11-25"})),
            error(-32021, &json!({"requiredCapabilities": {"roots": {}}})),
            error(-32020, &Value::Null),
        ] {
            let old = (Ok("2025-11-25".to_owned()), 1);
            let row = format!("{status} {answer}");
            assert_eq!(discovered(status, answer.clone()).await, old, "{row}");
            let (version, greeted) = discovered_by(status, answer, Connector::strict).await;
            assert!(version.is_err() && greeted == 0, "{row}: {version:?}");
        }
    }
}

#[tokio::test]
async fn a_version_that_a_server_refuses_and_names_is_tried_once_more() {
    let refused = AtomicU32::new(0);
    let server = Server::start(move |asked| {
        let message = asked.json();
        let mut answer = match message["method"].as_str() {
            Some("server/discover") if refused.fetch_add(1, Ordering::SeqCst) == 0 => {
                error(-32022, &json!({"supported": ["2026-07-28"]}))
            }
            Some("server/discover") => {
                json!({"result": {"supportedVersions": ["2026-07-28"], "capabilities": {}}})
            }
            _ => json!({"result": {"tools": []}}),
        };
        answer["id"] = message["id"].clone();
        answer["jsonrpc"] = "2.0".into();
        Reply::json(&answer)
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    assert_eq!(client.protocol(), Some("2026-07-28"));
}

#[tokio::test]
async fn messages_of_a_batch_are_read_one_by_one_in_the_version_that_has_them() {
    let server = Server::start(move |asked| {
        plain_of("2025-03-26", asked).unwrap_or_else(|| {
            let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "hi"}});
            Reply::json(&json!([log, 5, answered(asked, "done")]))
        })
    })
    .await;
    let (connector, told) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    let is_log = |event: &ClientEvent| matches!(event, ClientEvent::Log(_));
    assert!(told.all().iter().any(is_log));
    let is_bad = |event: &&ClientEvent| matches!(event, ClientEvent::BadMessage(_));
    assert_eq!(told.all().iter().filter(is_bad).count(), 1);
}

#[tokio::test]
async fn a_stream_that_broke_is_taken_up_where_it_was_left() {
    let (gets, answer) = (AtomicU32::new(0), std::sync::Mutex::new(Value::Null));
    let server = Server::start(move |asked| {
        if asked.method == "GET" && asked.header("last-event-id") == "e7" {
            return match gets.fetch_add(1, Ordering::SeqCst) {
                0 => Reply::status("503 Service Unavailable"),
                1 => Reply::events(": nothing yet\n\n"),
                _ => Reply::events(format!("data: {}\n\n", answer.lock().unwrap())),
            };
        }
        plain(asked).unwrap_or_else(|| {
            *answer.lock().unwrap() = answered(asked, "done");
            Reply::events("id: e7\nretry: 10\ndata:\n\n")
        })
    })
    .await;
    let (connector, _) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    let called = |asked: &&Asked| asked.json()["method"] == "tools/call";
    assert_eq!(server.asked().iter().filter(called).count(), 1);
    let resumed = server
        .asked()
        .into_iter()
        .filter(|asked| !asked.header("last-event-id").is_empty());
    assert_eq!(resumed.count(), 3);
}

#[tokio::test]
async fn a_server_with_a_session_is_listened_to() {
    let gets = Arc::<AtomicU32>::default();
    let count = Arc::clone(&gets);
    let server = Server::start(move |asked| {
        if asked.method == "GET" {
            assert_eq!(asked.header("mcp-session-id"), "s1");
            return match count.fetch_add(1, Ordering::SeqCst) {
                0 => Reply::events(": hello\n\n"),
                1 => Reply::events("id: 4\ndata:\n\n"),
                2 => {
                    assert_eq!(asked.header("last-event-id"), "4");
                    Reply {
                        endless: true,
                        ..Reply::events(": wait\n\n")
                    }
                }
                _ => panic!("a stream is open"),
            };
        }
        plain(asked).unwrap().with("mcp-session-id", "s1")
    })
    .await;
    let (connector, told) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    told.wait_for("list", |event| *event == ClientEvent::ToolsChanged)
        .await;
    while gets.load(Ordering::SeqCst) < 3 {
        sleep(Duration::from_millis(5)).await;
    }
    client.close().await;
    let last = server.asked().pop().unwrap();
    let ended = (
        &*last.method,
        last.header("mcp-session-id"),
        last.header("mcp-protocol-version"),
    );
    assert_eq!(ended, ("DELETE", "s1", "2025-11-25"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_session_is_listened_to_before_it_is_called() {
    let hears = AtomicBool::new(false);
    let server = Server::start(move |asked| {
        if asked.method == "GET" {
            std::thread::sleep(Duration::from_millis(100));
            hears.store(true, Ordering::SeqCst);
            return Reply {
                endless: true,
                ..Reply::events(": hello\n\n")
            };
        }
        plain(asked).map_or_else(
            || Reply::json(&answered(asked, &hears.load(Ordering::SeqCst).to_string())),
            |reply| reply.with("mcp-session-id", "s1"),
        )
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "true");
}

#[tokio::test]
async fn values_in_headers_are_encoded_and_tools_whose_headers_cannot_be_are_refused() {
    let server = Server::start(|asked| {
        let message = asked.json();
        let header = |kind: &str, name: &str| {
            json!({"type": "object", "properties": {
                "in": {"type": "object", "properties": {"a": {"type": kind, "x-mcp-header": name}}},
            }})
        };
        let result = match message["method"].as_str() {
            Some("server/discover") => {
                json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
            }
            Some("tools/list") => json!({"tools": [
                {"name": "größe", "inputSchema": header("string", "Size")},
                {"name": "number", "inputSchema": header("number", "Size")},
                {"name": "space", "inputSchema": header("string", "a b")},
            ]}),
            _ => return Reply::json(&answered(asked, "done")),
        };
        Reply::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    let refused = client.notices().into_iter();
    let refused: Vec<_> = refused
        .filter(|notice| notice.kind == NoticeKind::Refused)
        .collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    let name = client.toolset().definitions().next().unwrap().name.clone();
    let arguments = r#"{"in": {"a": " 5\u00b5m"}}"#;
    assert_eq!(
        text(&call(&client.toolset(), &name, arguments).await),
        "done"
    );
    let last = server.asked().pop().unwrap();
    assert_eq!(last.header("mcp-name"), "=?base64?Z3LDtsOfZQ==?=");
    assert_eq!(last.header("mcp-param-size"), "=?base64?IDXCtW0=?=");
}

#[tokio::test]
async fn a_request_that_was_taken_is_answered_in_the_servers_own_stream() {
    let answer = Arc::<std::sync::Mutex<Option<Value>>>::default();
    let said = Arc::clone(&answer);
    let server = Server::start(move |asked| {
        if asked.method == "GET" {
            return match said.lock().unwrap().take() {
                Some(answer) => Reply::events(format!("data: {answer}\n\n")),
                None => Reply::events(": wait\n\n"),
            };
        }
        plain(asked).map_or_else(
            || {
                *said.lock().unwrap() = Some(answered(asked, "later"));
                Reply::new("202 Accepted", "text/plain", "")
            },
            |reply| reply.with("mcp-session-id", "s1"),
        )
    })
    .await;
    let (connector, _) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "later");
}

#[tokio::test]
async fn calls_that_find_their_session_forgotten_wait_for_one_new_one() {
    let (sessions, calls) = (AtomicU32::new(0), AtomicU32::new(0));
    let server = Server::start(move |asked| {
        let method = asked.json()["method"].clone();
        if method == "initialize" {
            let new = sessions.fetch_add(1, Ordering::SeqCst) + 1;
            let reply = plain(asked).unwrap();
            return reply.with("mcp-session-id", &new.to_string());
        }
        let is_known =
            asked.header("mcp-session-id") == sessions.load(Ordering::SeqCst).to_string();
        if method == "tools/call" {
            // The first session is over after a hundred calls.
            let is_over = calls.fetch_add(1, Ordering::SeqCst) >= 100;
            if !is_known || (is_over && asked.header("mcp-session-id") == "1") {
                return Reply::status("404 Not Found");
            }
        }
        plain(asked).unwrap_or_else(|| {
            let n = &asked.json()["params"]["arguments"]["n"];
            Reply::json(&answered(asked, &n.to_string()))
        })
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    let tools = client.toolset();
    let all = (0..300).map(|n| {
        let tools = tools.clone();
        async move {
            let result = call(&tools, "echo", &json!({"n": n}).to_string()).await;
            assert_eq!(text(&result), n.to_string());
        }
    });
    futures_util::future::join_all(all).await;
    let asked = server.asked().into_iter();
    let greeted = asked.filter(|asked| asked.json()["method"] == "initialize");
    assert_eq!(greeted.count(), 2);
}
