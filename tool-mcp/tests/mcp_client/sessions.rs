//! Servers that forget a session, and say so in ways of their own.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use toolwright_mcp as mcp;

use super::raw_http::{Asked, Reply, Server, answered, plain};
use super::{call, text};

const LONG: Duration = Duration::from_secs(10);

/// A server that knows only its newest session, of which the first is over with its first call. `refuse` answers requests of
/// others, and `reopen` says whether a second one is opened.
async fn forgetful(
    refuse: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    reopen: Arc<AtomicBool>,
) -> Server {
    let opened = AtomicU32::new(0);
    Server::start(move |asked| {
        let method = asked.json()["method"].clone();
        match method.as_str() {
            Some("initialize") => {
                if opened.load(Ordering::SeqCst) > 0 && !reopen.load(Ordering::SeqCst) {
                    return Reply::status("500 Internal Server Error");
                }
                let number = opened.fetch_add(1, Ordering::SeqCst) + 1;
                let reply = plain(asked).unwrap();
                reply.with("mcp-session-id", &number.to_string())
            }
            Some("tools/call") if asked.header("mcp-session-id") == "1" => refuse(asked),
            _ => plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done"))),
        }
    })
    .await
}

fn of(server: &Server, method: &str) -> usize {
    let asked = server.asked().into_iter();
    let asked = asked.filter(|asked| asked.json()["method"] == method);
    asked.count()
}

/// What a call comes to.
#[derive(Debug, PartialEq, Clone, Copy)]
enum Then {
    /// A new session, in which it is sent again.
    Again,
    /// A new session for later calls.
    Failed,
    /// No new session.
    Refused,
}

/// Refusals of a session, and what a call comes to that has an effect, and one that only reads.
fn refusals() -> Vec<(&'static str, String, [Then; 2])> {
    use Then::{Again, Failed, Refused};
    let error = |id: &Value, message: &str| {
        let error = json!({"code": -32000, "message": message});
        json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
    };
    let none = "Bad Request: No valid session ID provided";
    let late = format!("{} session", "x".repeat(1024));
    vec![
        ("404 Not Found", "no".into(), [Again, Again]),
        ("400 Bad Request", error(&Value::Null, none), [Again, Again]),
        (
            "400 Bad Request",
            error(&"server-error".into(), none),
            [Again, Again],
        ),
        // An id that is missing is a weaker sign.
        (
            "400 Bad Request",
            json!({"jsonrpc": "2.0", "error": {"code": 1, "message": none}}).to_string(),
            [Failed, Again],
        ),
        (
            "400 Bad Request",
            format!("\u{feff}{}", error(&Value::Null, none)),
            [Again, Again],
        ),
        ("404 Not Found", error(&Value::Null, "no"), [Again, Again]),
        ("404 Not Found", error(&7_000.into(), none), [Again, Again]),
        // It was read, and it may be that the session is over: a call with an effect is not sent twice.
        ("404 Not Found", error(&"ID".into(), none), [Failed, Again]),
        (
            "401 Unauthorized",
            error(&Value::Null, none),
            [Again, Again],
        ),
        ("400 Bad Request", "Invalid SESSION".into(), [Failed, Again]),
        (
            "400 Bad Request",
            json!({"error": "session not found"}).to_string(),
            [Failed, Again],
        ),
        (
            "401 Unauthorized",
            "Session expired".into(),
            [Failed, Again],
        ),
        // An answer to another request of ours, which this client never sends here.
        (
            "400 Bad Request",
            error(&7_000.into(), none),
            [Failed, Again],
        ),
        // Answers to this request, and refusals for other reasons.
        (
            "400 Bad Request",
            error(&"ID".into(), none),
            [Refused, Refused],
        ),
        (
            "400 Bad Request",
            error(&"'ID'".into(), none),
            [Refused, Refused],
        ),
        (
            "404 Not Found",
            error(&"ID".into(), "no such note"),
            [Refused, Refused],
        ),
        (
            "404 Not Found",
            format!("\u{feff}{}", error(&"ID".into(), "no such note")),
            [Refused, Refused],
        ),
        // Of a long answer the start is read.
        (
            "404 Not Found",
            format!(
                r#"{{"jsonrpc":"2.0","id":"ID","error":{{"code":1,"message":"{}"}}}}"#,
                "no such note ".repeat(6_000)
            ),
            [Refused, Refused],
        ),
        (
            "401 Unauthorized challenge",
            "Session expired".into(),
            [Refused, Refused],
        ),
        ("400 Bad Request", "no such tool".into(), [Refused, Refused]),
        ("400 Bad Request", late, [Refused, Refused]),
        ("403 Forbidden", "no session".into(), [Refused, Refused]),
        (
            "500 Internal Server Error",
            "no session".into(),
            [Refused, Refused],
        ),
        ("409 Conflict", "no session".into(), [Refused, Refused]),
    ]
}

/// modelcontextprotocol/python-sdk#1727 and #1004, mark3labs/mcp-go#689, DAWNCR0W/affine-mcp-server#301.
#[tokio::test]
async fn a_forgotten_session_is_known_by_other_signs_than_404() {
    for (status, body, outcomes) in refusals() {
        use Then::{Again, Failed, Refused};
        // One has an effect, and the other only reads.
        for (tool, outcome) in ["echo", "again"].into_iter().zip(outcomes) {
            let refused = body.clone();
            let refuse = move |asked: &Asked| {
                let id = asked.json()["id"].to_string();
                let body = refused.replace("\"ID\"", &id).replace("'ID'", &id);
                let kind = if body.starts_with('{') {
                    "application/json"
                } else {
                    "text/plain"
                };
                match status.strip_suffix(" challenge") {
                    Some(status) => {
                        Reply::new(status, kind, body).with("www-authenticate", "Bearer")
                    }
                    None => Reply::new(status, kind, body),
                }
            };
            let server = forgetful(refuse, Arc::new(AtomicBool::new(true))).await;
            let client = mcp::connect(&*server.url).trust_hints().await.unwrap();
            let result = timeout(LONG, call(&client.toolset(), tool, "{}"))
                .await
                .unwrap();
            let row = format!("{status} {body} {tool}: {result:?}");
            let counts = (of(&server, "initialize"), of(&server, "tools/call"));
            let expected = match outcome {
                Again => (2, 2),
                Failed => (2, 1),
                Refused => (1, 1),
            };
            assert_eq!(counts, expected, "{row}");
            assert_eq!(result.outcome.is_ok(), outcome == Again, "{row}");
            assert!(client.is_connected(), "{row}");
            if outcome == Failed {
                let later = call(&client.toolset(), tool, "{}").await;
                assert_eq!(text(&later), "done");
            }
        }
    }
}

/// Some servers set the status of a call that failed.
#[tokio::test]
async fn a_result_is_the_answer_whatever_the_status() {
    for status in [
        "404 Not Found",
        "400 Bad Request",
        "401 Unauthorized",
        "500 Internal Server Error",
    ] {
        let refuse = move |asked: &Asked| {
            let body = answered(asked, "the session of the note").to_string();
            Reply::new(status, "application/json", body)
        };
        let server = forgetful(refuse, Arc::new(AtomicBool::new(true))).await;
        let client = mcp::connect(&*server.url).await.unwrap();
        let result = call(&client.toolset(), "echo", "{}").await;
        assert_eq!(text(&result), "the session of the note", "{status}");
        assert_eq!(
            (of(&server, "initialize"), of(&server, "tools/call")),
            (1, 1),
            "{status}"
        );
    }
}

/// A greeting that fails leaves the session as it was, so the next call opens one.
#[tokio::test]
async fn a_session_whose_greeting_failed_is_opened_by_the_next_call() {
    let broken: [fn(&Asked) -> Reply; 4] = [
        |asked| {
            let id = &asked.json()["id"];
            let error = json!({"code": -32603, "message": "later"});
            Reply::json(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
        },
        |_| Reply::new("200 OK", "text/html", "<p>Please wait.</p>".to_owned()),
        |asked| {
            let id = &asked.json()["id"];
            Reply::json(&json!({"jsonrpc": "2.0", "id": id, "result": {}}))
        },
        |_| Reply::new("200 OK", "application/json", String::new()),
    ];
    for (row, broken) in broken.into_iter().enumerate() {
        let greetings = AtomicU32::new(0);
        let server = Server::start(move |asked| {
            let session = asked.header("mcp-session-id").to_owned();
            match asked.json()["method"].as_str() {
                Some("initialize") => match greetings.fetch_add(1, Ordering::SeqCst) {
                    1 => broken(asked),
                    number => plain(asked)
                        .unwrap()
                        .with("mcp-session-id", &number.to_string()),
                },
                Some("tools/call") if session == "0" => Reply::status("404 Not Found"),
                Some("tools/call") if session.is_empty() => {
                    let words = "Missing session ID".to_owned();
                    Reply::new("400 Bad Request", "text/plain", words)
                }
                _ => plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done"))),
            }
        })
        .await;
        let client = mcp::connect(&*server.url).await.unwrap();
        let first = call(&client.toolset(), "echo", "{}").await;
        assert!(first.outcome.is_err(), "{row}: {first:?}");
        assert!(!client.is_connected(), "{row}");
        let second = call(&client.toolset(), "echo", "{}").await;
        assert_eq!(text(&second), "done", "{row}");
        assert!(client.is_connected(), "{row}");
    }
}

/// The stream of a greeting belongs to the session that it opens, also where it breaks off, or the server asks in it.
#[tokio::test]
async fn the_stream_of_a_greeting_is_that_of_its_session() {
    let greeting = Arc::new(Mutex::new(String::new()));
    let server = Server::start(move |asked| {
        let message = asked.json();
        if message["method"] == "initialize" {
            let reply = plain(asked).unwrap();
            *greeting.lock().unwrap() = String::from_utf8(reply.body).unwrap();
            let ping = json!({"jsonrpc": "2.0", "id": 0, "method": "ping"});
            let events = format!("id: e1\nretry: 100\ndata: {ping}\n\n");
            return Reply::events(events).with("mcp-session-id", "s1");
        }
        match asked.header("last-event-id") {
            "e1" if asked.header("mcp-session-id") == "s1" => {
                Reply::events(format!("data: {}\n\n", greeting.lock().unwrap()))
            }
            "e1" => Reply::status("400 Bad Request"),
            _ => plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done"))),
        }
    })
    .await;
    let client = mcp::connect(&*server.url).initialize().await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    let asked = server.asked();
    let pong = asked
        .iter()
        .find(|asked| asked.json()["result"] == json!({}));
    assert_eq!(pong.unwrap().header("mcp-session-id"), "s1");
}

/// An answer is an answer, whatever its status.
#[tokio::test]
async fn a_greeting_with_the_status_of_an_error_opens_its_session() {
    let server = Server::start(|asked| match asked.json()["method"].as_str() {
        Some("initialize") => Reply {
            status: "500 Internal Server Error",
            ..plain(asked).unwrap().with("mcp-session-id", "s1")
        },
        Some("tools/call") if asked.header("mcp-session-id") != "s1" => {
            Reply::status("400 Bad Request")
        }
        _ => plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done"))),
    })
    .await;
    let client = mcp::connect(&*server.url).initialize().await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
}

/// A session whose greeting fails is closed at the server.
#[tokio::test]
async fn sessions_that_are_not_used_are_closed() {
    let number = AtomicU32::new(0);
    let server = Server::start(move |asked| match asked.json()["method"].as_str() {
        Some("initialize") => {
            let number = number.fetch_add(1, Ordering::SeqCst);
            let reply = match number {
                0 => plain(asked).unwrap(),
                _ => Reply::new("200 OK", "text/html", "<p>Please wait.</p>"),
            };
            reply.with("mcp-session-id", &format!("s{number}"))
        }
        Some("tools/call") => Reply::status("404 Not Found"),
        _ => plain(asked).unwrap(),
    })
    .await;
    let client = mcp::connect(&*server.url).initialize().await.unwrap();
    for _ in 0..3 {
        let refused = call(&client.toolset(), "echo", "{}").await;
        assert!(refused.outcome.is_err(), "{refused:?}");
    }
    let closed = || {
        let asked = server.asked().into_iter();
        let asked = asked.filter(|asked| asked.method == "DELETE");
        let ids = asked.map(|asked| asked.header("mcp-session-id").to_owned());
        ids.collect::<Vec<_>>()
    };
    let all = async {
        while closed().len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, all).await.unwrap();
    assert_eq!(closed(), ["s1", "s2", "s3"]);
}

/// A greeting that is never answered ends with its limit, and with the call that waits for it.
#[tokio::test]
async fn a_new_session_that_does_not_open_holds_up_one_call() {
    let (short, long) = (Duration::from_secs(2), Duration::from_mins(5));
    for (connects, answers) in [(short, long), (long, short)] {
        let greetings = AtomicU32::new(0);
        let server = Server::start(move |asked| match asked.json()["method"].as_str() {
            Some("initialize") => match greetings.fetch_add(1, Ordering::SeqCst) {
                1 => Reply {
                    open_for: Duration::from_mins(5),
                    ..Reply::events(": wait\n\n")
                },
                number => plain(asked)
                    .unwrap()
                    .with("mcp-session-id", &number.to_string()),
            },
            Some("tools/call") if asked.header("mcp-session-id") == "0" => {
                Reply::status("404 Not Found")
            }
            _ => plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done"))),
        })
        .await;
        let client = mcp::connect(&*server.url)
            .connect_timeout(connects)
            .idle_timeout(answers)
            .await
            .unwrap();
        let tools = client.toolset();
        let first = timeout(LONG, call(&tools, "echo", "{}")).await.unwrap();
        let error = first.outcome.unwrap_err();
        assert!(!error.is_outcome_unknown(), "{error:?}");
        let second = timeout(LONG, call(&tools, "echo", "{}")).await.unwrap();
        assert_eq!(text(&second), "done");
    }
}

#[tokio::test]
async fn a_call_opens_one_session_at_most() {
    let opened = AtomicU32::new(0);
    let server = Server::start(move |asked| match asked.json()["method"].as_str() {
        Some("initialize") => {
            let number = opened.fetch_add(1, Ordering::SeqCst);
            plain(asked)
                .unwrap()
                .with("mcp-session-id", &number.to_string())
        }
        Some("tools/call") => {
            let error = json!({"code": -32000, "message": "Session not found"});
            let body = json!({"jsonrpc": "2.0", "id": null, "error": error});
            Reply::new("400 Bad Request", "application/json", body.to_string())
        }
        _ => plain(asked).unwrap(),
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    let result = timeout(LONG, call(&client.toolset(), "echo", "{}"))
        .await
        .unwrap();
    let error = result.outcome.unwrap_err();
    assert!(!error.is_outcome_unknown(), "{error:?}");
    assert!(error.to_string().contains("Session not found"), "{error}");
    assert_eq!(
        (of(&server, "initialize"), of(&server, "tools/call")),
        (2, 2)
    );
}

#[tokio::test]
async fn a_server_that_opens_no_new_session_is_not_connected_until_it_does() {
    let reopen = Arc::new(AtomicBool::new(false));
    for (status, body) in [("404 Not Found", "gone"), ("400 Bad Request", "no session")] {
        reopen.store(false, Ordering::SeqCst);
        let refuse = move |_: &Asked| Reply::new(status, "text/plain", body);
        let server = forgetful(refuse, Arc::clone(&reopen)).await;
        let client = mcp::connect(&*server.url).trust_hints().await.unwrap();
        let tools = client.toolset();
        let result = timeout(LONG, call(&tools, "again", "{}")).await.unwrap();
        // The first refusal, and not that of the greeting.
        let words = result.outcome.unwrap_err().to_string();
        assert!(words.contains(status) && words.contains(body), "{words}");
        assert!(!client.is_connected(), "{status}");
        reopen.store(true, Ordering::SeqCst);
        assert_eq!(text(&call(&tools, "again", "{}").await), "done");
        assert!(client.is_connected(), "{status}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_not_connected() {
    let server = Server::start(|asked| plain(asked).unwrap_or_else(Reply::hang_up)).await;
    let client = mcp::connect(&*server.url).await.unwrap();
    assert!(client.is_connected());
    assert!(call(&client.toolset(), "echo", "{}").await.outcome.is_err());
    assert!(!client.is_connected());
}

#[tokio::test]
async fn a_strict_client_knows_a_forgotten_session_by_404_alone() {
    for (status, greeted) in [("404 Not Found", 2), ("400 Bad Request", 1)] {
        let body =
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "session"}});
        let refuse = move |_: &Asked| Reply::new(status, "application/json", body.to_string());
        let server = forgetful(refuse, Arc::new(AtomicBool::new(true))).await;
        let client = mcp::connect(&*server.url).strict().await.unwrap();
        let _ = timeout(LONG, call(&client.toolset(), "echo", "{}"))
            .await
            .unwrap();
        assert_eq!(of(&server, "initialize"), greeted, "{status}");
    }
}
