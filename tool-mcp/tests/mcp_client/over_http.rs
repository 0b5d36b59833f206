//! A server behind a URL.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::{sleep, timeout};
use toolwright::{Context, ToolCall, ToolError, Toolset, call::ErrorKind};
use toolwright_mcp::{self as mcp, Client, ClientEvent, ConnectErrorKind, ElicitResult};

use super::raw_http::{Asked, Reply, Server, answered, plain};
use super::{Told, call, scripted, text, told};

/// Connects to a server that answers calls so.
async fn serve(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> (Server, Client, Told) {
    let server = Server::start(move |asked| plain(asked).unwrap_or_else(|| answer(asked))).await;
    let (connector, told) = told(mcp::connect(&*server.url));
    let connector = connector
        .bearer("s3cret")
        .header("x-team", "blue")
        .max_bytes(100_000);
    let client = connector.await.unwrap();
    (server, client, told)
}

async fn error(client: &Client, name: &str) -> ToolError {
    call(&client.toolset(), name, "{}")
        .await
        .outcome
        .unwrap_err()
}

#[tokio::test]
async fn calls_go_out_with_headers_and_every_digit() {
    let (server, client, _) = serve(|asked| Reply::json(&answered(asked, &asked.body))).await;
    let exact = r#"{ "n": 123456789012345678901234567890, "z": 1.10 }"#;
    let body = text(&call(&client.toolset(), "echo", exact).await);
    assert!(body.contains(exact), "{body}");
    assert_eq!(client.server_name(), Some("raw"));
    for asked in server.asked() {
        assert_eq!(asked.header("authorization"), "Bearer s3cret");
        assert_eq!(asked.header("x-team"), "blue");
    }
    let last = server.asked().pop().unwrap();
    assert_eq!(last.header("mcp-protocol-version"), "2025-11-25");
}

/// The token in the headers is for the address that the host named.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let elsewhere = Server::start(|asked| Reply::json(&answered(asked, "yes"))).await;
        let place = elsewhere.url.clone();
        let (_server, client, _) =
            serve(move |_| Reply::status(status).with("location", &place)).await;
        error(&client, "echo").await;
        assert_eq!(elsewhere.asked().len(), 0, "{status}");
    }
}

#[tokio::test]
async fn a_stream_of_events_tells_progress_and_the_answer() {
    let (_server, client, told) = serve(|asked| {
        let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "hi"}});
        let answer = answered(asked, "done");
        Reply::events(format!(
            ": hello\n\nid: 1\n\ndata: not json\n\ndata: {log}\n\nevent: ping\ndata: x\n\ndata: {answer}\n\n"
        ))
    })
    .await;
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    let is_log = |event: &ClientEvent| matches!(event, ClientEvent::Log(_));
    assert_eq!(told.all().iter().filter(|event| is_log(event)).count(), 1);
    let is_bad = |event: &ClientEvent| matches!(event, ClientEvent::BadMessage(_));
    assert_eq!(told.all().iter().filter(|event| is_bad(event)).count(), 1);
}

#[tokio::test]
async fn a_stream_of_events_is_read_by_the_rules_of_browsers() {
    let lines = [
        "",
        "x: y",
        "x",
        "data",
        "retry: soon",
        "id: 1\nid: 2",
        "event: x\nevent: message",
        ": \u{fffd}",
    ];
    for (line, end) in lines
        .into_iter()
        .flat_map(|line| [(line, "\r"), (line, "\r\n")])
    {
        let (_server, client, _) = serve(move |asked| {
            let answer = answered(asked, "done").to_string();
            let (start, rest) = answer.split_at(1);
            let events = format!("\u{feff}{line}\ndata:{start}\ndata: {rest}\n\n");
            Reply::events(events.replace('\n', end))
        })
        .await;
        let tools = client.toolset();
        let answer = timeout(Duration::from_secs(10), call(&tools, "echo", "{}"));
        let answer = answer.await.unwrap();
        assert_eq!(text(&answer), "done", "{line:?} {end:?}");
    }
}

#[tokio::test]
async fn what_is_too_large_is_not_read() {
    let large = "x".repeat(60_000);
    let (_server, client, _) = serve(move |asked| {
        let number = asked.json()["params"]["arguments"]["n"].as_u64();
        match number {
            // Announced, and not.
            Some(0) => Reply::json(&answered(asked, &large.repeat(2))),
            Some(1) => Reply {
                endless: true,
                ..Reply::new("200 OK", "application/json", large.clone())
            },
            Some(2) => Reply {
                endless: true,
                ..Reply::events(format!("data: {large}\n"))
            },
            Some(3) => Reply {
                endless: true,
                ..Reply::new("400 Bad Request", "text/plain", large.clone())
            },
            _ => Reply::json(&answered(asked, "fine")),
        }
    })
    .await;
    for n in 0..4 {
        let arguments = format!(r#"{{"n": {n}}}"#);
        let result = call(&client.toolset(), "echo", &arguments).await;
        let error = result.outcome.unwrap_err();
        let detail = format!("{error} {:?}", error.host_detail());
        let says = if n == 3 { "400" } else { "100000 bytes" };
        assert!(detail.contains(says), "{n}: {detail}");
    }
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "fine");
}

#[tokio::test]
async fn a_refusal_without_the_form_of_one_is_told_in_its_words() {
    let (_server, client, _) = serve(|asked| {
        let error = &asked.json()["params"]["arguments"];
        let body = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
        Reply::new("400 Bad Request", "application/json", body)
    })
    .await;
    for arguments in [
        r#"{"code":"E_QUOTA","message":"not today"}"#,
        r#"{"message":"not today"}"#,
        r#"{"code":-1,"data":"not today"}"#,
    ] {
        let result = call(&client.toolset(), "echo", arguments).await;
        let words = result.outcome.unwrap_err().to_string();
        assert!(
            words.starts_with("the MCP server refused the call: ") && words.contains("not today"),
            "{arguments}: {words}"
        );
    }
}

#[tokio::test]
async fn a_call_without_an_answer_is_told_and_not_sent_twice() {
    let (server, client, _) =
        serve(
            |asked| match asked.json()["params"]["arguments"]["how"].as_str() {
                Some("hang up") => Reply::hang_up(),
                Some("cut") => Reply::events("data: {\"jsonrpc\"").with("connection", "close"),
                Some("html") => Reply::new("200 OK", "text/html", "<p>Log in"),
                Some("nothing") => Reply::json(&json!({})),
                Some("other") => Reply::json(&json!({"jsonrpc": "2.0", "id": 7_000, "result": {}})),
                _ => Reply::status("503 Service Unavailable"),
            },
        )
        .await;
    for how in ["hang up", "cut", "html", "nothing", "other", "503"] {
        let before = server.asked().len();
        let arguments = json!({"how": how}).to_string();
        let result = call(&client.toolset(), "echo", &arguments).await;
        let error = result.outcome.unwrap_err();
        let sent = server.asked().len() - before;
        assert_eq!(sent, 1, "{how}: {error:?}");
        let is_told =
            error.to_string().contains("not known") || error.kind() == ErrorKind::InvalidReturn;
        assert!(is_told, "{how}: {error:?}");
        // What else is there to know is for the host, and no secret is.
        assert!(!format!("{error:?}").contains("s3cret"), "{how}: {error:?}");
    }
    // The server's word that the tool only reads counts where it is trusted.
    let again = error(&client, "again").await;
    assert!(again.to_string().contains("not known"), "{again}");
    let client = mcp::connect(&*server.url).initialize().trust_hints();
    let again = error(&client.await.unwrap(), "again").await;
    assert!(again.to_string().contains("may be called again"), "{again}");
}

#[tokio::test]
async fn what_http_answers_a_call_is_told_and_whether_the_call_ran() {
    let (server, client, _) = serve(|asked| {
        let arguments = &asked.json()["params"]["arguments"];
        let status: &'static str = arguments["status"].as_str().unwrap().to_owned().leak();
        let (kind, body) = match arguments["json"].as_str() {
            Some(message) => {
                let error = json!({"code": -1, "message": message});
                let body = json!({"jsonrpc": "2.0", "id": null, "error": error});
                ("application/json", body.to_string())
            }
            None => ("text/html", "<p>Log\u{1b}[2J\r\n  in</p>".to_owned()),
        };
        let reply = Reply::new(status, kind, body).with("location", "http://localhost:1/");
        match arguments["later"].as_bool() {
            Some(true) => reply.with("retry-after", "3"),
            _ => reply,
        }
    })
    .await;
    let (never, later, perhaps) = (
        "the call did not run",
        "the call did not run, and may be made again later",
        "whether the call took effect is not known",
    );
    let table = [
        ("301 Moved Permanently", never),
        ("302 Found", never),
        ("303 See Other", perhaps),
        ("307 Temporary Redirect", never),
        ("401 Unauthorized", never),
        ("403 Forbidden", never),
        ("404 Not Found", never),
        ("405 Method Not Allowed", never),
        ("408 Request Timeout", perhaps),
        ("409 Conflict", perhaps),
        ("413 Payload Too Large", never),
        ("415 Unsupported Media Type", never),
        ("429 Too Many Requests", later),
        ("500 Internal Server Error", perhaps),
        ("502 Bad Gateway", perhaps),
        ("503 Service Unavailable", perhaps),
        ("504 Gateway Timeout", perhaps),
        ("200 OK", perhaps),
    ];
    let tools = client.toolset();
    for (status, ran) in table {
        let before = server.asked().len();
        let result = call(&tools, "echo", &json!({"status": status}).to_string()).await;
        let error = result.outcome.unwrap_err();
        assert_eq!(server.asked().len() - before, 1, "{status}");
        let said = if status.starts_with('3') {
            "a redirect to `http://localhost:1/`, which is not followed"
        } else {
            r"<p>Log\u{1b}[2J in</p>"
        };
        let said = format!("HTTP {status}: {said}; {ran}");
        assert_eq!(error.to_string(), format!("the MCP server answered {said}"));
        let kind = if ran == perhaps {
            "failed"
        } else {
            "not_started"
        };
        let is = (error.kind().as_str(), error.is_permanent());
        assert_eq!(is, (kind, ran != later));
        assert_eq!(error.is_outcome_unknown(), ran == perhaps, "{status}");
    }
    // A server that says when to come again has not begun.
    let arguments = json!({"status": "503 Service Unavailable", "later": true});
    let error = call(&tools, "echo", &arguments.to_string()).await;
    let error = error.outcome.unwrap_err().to_string();
    assert!(error.ends_with(later), "{error}");
    // What a server says of a call that it took is its answer, and of one that it did not the reason.
    for (status, words) in [
        (
            "500 Internal Server Error",
            "the MCP server refused the call: no".to_owned(),
        ),
        (
            "401 Unauthorized",
            format!("the MCP server answered HTTP 401 Unauthorized: no; {never}"),
        ),
    ] {
        let arguments = json!({"status": status, "json": "no"});
        let error = call(&tools, "echo", &arguments.to_string()).await;
        assert_eq!(error.outcome.unwrap_err().to_string(), words);
    }
}

#[tokio::test]
async fn tokens_are_taken_without_the_space_around_them_or_refused() {
    let server = Server::start(|asked| plain(asked).unwrap()).await;
    let client = mcp::connect(&*server.url).bearer(" s3cret\r\n").await;
    drop(client.unwrap());
    assert_eq!(server.asked()[0].header("authorization"), "Bearer s3cret");
    for token in ["", " \n", "s3\ncret", "s3 cret", "s3cr\u{e9}t", "s3\0cret"] {
        let error = mcp::connect(&*server.url).bearer(token).await.unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Invalid, "{token:?}");
        let words = error.to_string();
        assert!(
            words.starts_with("the token ") && !words.contains("s3"),
            "{words}"
        );
    }
}

/// Whether nobody holds what the context of a call held, soon after it failed.
async fn is_forgotten(tools: &Toolset, arguments: &str, limit: Duration) -> bool {
    let held = Arc::new(());
    let kept = Arc::downgrade(&held);
    let cx = Context::new().with(held);
    let echo = ToolCall::new("1", "echo", arguments.to_owned());
    let called = async {
        let result = tools.call(&echo, &cx).await;
        assert!(result.outcome.is_err(), "{arguments}: {result:?}");
    };
    // A call may also be dropped.
    let _ = timeout(limit, called).await;
    drop(cx);
    let gone = async {
        while kept.strong_count() > 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(5), gone).await.is_ok()
}

#[tokio::test]
async fn nothing_is_kept_of_a_call_that_gets_no_answer() {
    let answer = |asked: &Asked| match asked.json()["params"]["arguments"]["how"].as_str().unwrap()
    {
        "hang up" => Reply::hang_up(),
        "cut" => Reply::events("data: {\"jsonrpc\"").with("connection", "close"),
        "html" => Reply::new("200 OK", "text/html", "<p>Log in"),
        "never" => Reply {
            endless: true,
            ..Reply::events(": wait\n\n")
        },
        _ => Reply::status("503 Service Unavailable"),
    };
    let (_server, client, _) = serve(answer).await;
    let newest = Server::start(move |asked| match &asked.json()["method"] {
        method if method == "tools/call" => answer(asked),
        _ => modern(asked),
    })
    .await;
    let newest = mcp::connect(&*newest.url).await.unwrap();
    for tools in [client.toolset(), newest.toolset()] {
        for how in ["hang up", "cut", "html", "503", "never"] {
            let arguments = json!({"how": how}).to_string();
            let limit = Duration::from_millis(if how == "never" { 200 } else { 10_000 });
            assert!(is_forgotten(&tools, &arguments, limit).await, "{how}");
        }
    }
}

#[tokio::test]
async fn a_server_that_is_gone_was_not_asked() {
    let (server, client, _) = serve(|asked| Reply::json(&answered(asked, "fine"))).await;
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "fine");
    let url = server.url.clone();
    drop(server);
    // Connections that were kept end with their tasks.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let error = error(&client, "echo").await;
    assert!(!error.to_string().contains(&url), "{error}");
    assert!(
        error.to_string().contains("not sent") || error.to_string().contains("not known"),
        "{error}"
    );
}

/// A server with one session at a time, whose calls are answered by a function of that session's number. One of which the
/// function says that it is over is not known from then on.
async fn forgetful(
    answer: impl Fn(&Asked, u32) -> (Reply, bool) + Send + Sync + 'static,
) -> Server {
    let sessions = AtomicU32::new(0);
    Server::start(move |asked| {
        let method = asked.json()["method"].clone();
        let current = sessions.load(Ordering::SeqCst);
        if method == "initialize" {
            let new = sessions.fetch_add(1, Ordering::SeqCst) + 1;
            return plain(asked)
                .unwrap()
                .with("mcp-session-id", &new.to_string());
        }
        let is_known = asked.header("mcp-session-id") == current.to_string();
        if !is_known && method != "server/discover" {
            return Reply::status("404 Not Found");
        }
        plain(asked).unwrap_or_else(|| {
            let (reply, is_over) = answer(asked, current);
            sessions.fetch_add(u32::from(is_over), Ordering::SeqCst);
            reply
        })
    })
    .await
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_opened_anew() {
    let server = forgetful(|asked, _| {
        let is_over = asked.json()["params"]["arguments"]["forget"] == true;
        (Reply::json(&answered(asked, "fine")), is_over)
    })
    .await;
    let (connector, told) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    let tools = client.toolset();
    assert_eq!(
        text(&call(&tools, "echo", r#"{"forget": true}"#).await),
        "fine"
    );
    assert_eq!(text(&call(&tools, "echo", "{}").await), "fine");
    // It may be another server now.
    told.wait_for("list", |event| *event == ClientEvent::ToolsChanged)
        .await;
    client.close().await;
    let ended = server
        .asked()
        .into_iter()
        .filter(|asked| asked.method == "DELETE");
    assert_eq!(ended.count(), 1);
}

#[tokio::test]
async fn what_a_session_that_is_over_asked_takes_no_place_in_the_next() {
    let question = |id: &str, message: &str| {
        let params = json!({"mode": "form", "message": message, "requestedSchema": {"type": "object", "properties": {}}});
        let asks =
            json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params});
        format!("data: {asks}\n\n")
    };
    let server = forgetful(move |asked, session| {
        let is_first = session == 1;
        let asks: Vec<_> = if is_first {
            let never = (0..256).map(|n| question(&format!("q{n}"), "Never answered?"));
            never.collect()
        } else {
            vec![question("q0", "Heard?")]
        };
        let answer = format!("data: {}\n\n", answered(asked, "fine"));
        (Reply::events(asks.concat() + &answer), is_first)
    })
    .await;
    let (left, next) = (Arc::<AtomicU32>::default(), Arc::<AtomicU32>::default());
    let (of_left, of_next) = (Arc::clone(&left), Arc::clone(&next));
    let (connector, told) = told(mcp::connect(&*server.url));
    let connector = connector.on_elicitation(move |question| {
        let is_heard = &*question.message == "Heard?";
        let count = if is_heard { &of_next } else { &of_left };
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            if !is_heard {
                std::future::pending::<()>().await;
            }
            ElicitResult::Decline
        }
    });
    let client = connector.await.unwrap();
    let tools = client.toolset();
    let until = async |count: &AtomicU32, most| {
        for _ in 0..500 {
            if count.load(Ordering::SeqCst) == most {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!(
            "{} of {most}: {:?}",
            count.load(Ordering::SeqCst),
            told.all()
        );
    };
    assert_eq!(text(&call(&tools, "echo", "{}").await), "fine");
    until(&left, 256).await;
    assert_eq!(text(&call(&tools, "echo", "{}").await), "fine");
    until(&next, 1).await;
}

#[tokio::test]
async fn who_is_not_let_in_is_told_so() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let server = Server::start(move |_| Reply::status(status)).await;
        let error = mcp::connect(&*server.url)
            .bearer("s3cret")
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ConnectErrorKind::Unauthorized, "{error}");
        assert!(!format!("{error:?}").contains("s3cret"));
    }
    let server = Server::start(|_| Reply::status("500 Internal Server Error")).await;
    let error = mcp::connect(&*server.url).await.unwrap_err();
    assert_eq!(error.kind(), ConnectErrorKind::Handshake, "{error}");
    assert!(error.to_string().contains("500"), "{error}");
    assert!(!error.to_string().contains("rmcp"), "{error}");
}

/// A server of the protocol 2026-07-28: nothing is said but in answer to a request.
fn modern(asked: &Asked) -> Reply {
    let message = asked.json();
    let result = match message["method"].as_str() {
        Some("server/discover") => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "modern", "version": "2"}, "ttlMs": 0, "cacheScope": "private",
        }),
        Some("tools/list") => json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "tools": [{"name": "echo", "inputSchema": {"type": "object", "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
            }}}],
        }),
        Some("subscriptions/listen") => {
            let id = &message["id"];
            let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
            let said = json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                "params": {"_meta": meta, "notifications": {"toolsListChanged": true}}});
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed",
                "params": {"_meta": meta}});
            return Reply::events(format!("data: {said}\n\ndata: {changed}\n\n"));
        }
        Some("tools/call") => return Reply::json(&answered(asked, &asked.body)),
        _ => return Reply::status("400 Bad Request"),
    };
    Reply::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

#[tokio::test]
async fn the_newest_protocol_has_headers_and_listens() {
    let server = Server::start(modern).await;
    let (connector, told) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    assert_eq!(client.protocol(), Some("2026-07-28"));
    let exact = r#"{ "region": "eu", "n": 1.10 }"#;
    let body = text(&call(&client.toolset(), "echo", exact).await);
    assert!(body.contains(exact), "{body}");
    let asked = server.asked();
    let called = asked
        .iter()
        .find(|asked| asked.json()["method"] == "tools/call")
        .unwrap();
    assert_eq!(called.header("mcp-protocol-version"), "2026-07-28");
    assert_eq!(called.header("mcp-method"), "tools/call");
    assert_eq!(called.header("mcp-name"), "echo");
    assert_eq!(called.header("mcp-param-region"), "eu");
    told.wait_for("list", |event| *event == ClientEvent::ToolsChanged)
        .await;
}

/// The list was read before the subscription began.
#[tokio::test]
async fn a_list_that_changes_before_it_is_subscribed_to_is_read_again() {
    let lists = AtomicU32::new(0);
    let server = Server::start(move |asked| {
        let mut reply = modern(asked);
        let body = String::from_utf8(reply.body.clone()).unwrap();
        if asked.json()["method"] == "subscriptions/listen" {
            let acknowledged = body.split_inclusive("\n\n").next().unwrap();
            return Reply {
                open_for: Duration::from_secs(30),
                ..Reply::events(acknowledged)
            };
        }
        if asked.json()["method"] == "tools/list" && lists.fetch_add(1, Ordering::SeqCst) > 0 {
            reply.body = body.replace("echo", "late").into();
        }
        reply
    })
    .await;
    let (connector, told) = told(mcp::connect(&*server.url));
    let client = connector.await.unwrap();
    assert!(client.toolset().get("echo").is_some());
    told.wait_for("list", |event| *event == ClientEvent::ToolsChanged)
        .await;
    assert!(client.toolset().get("late").is_some());
}

#[tokio::test]
async fn a_subscription_that_stood_is_asked_for_again_at_once() {
    let longest = Duration::from_secs(2);
    let asked = Arc::<Mutex<Vec<Instant>>>::default();
    let all = Arc::clone(&asked);
    let server = Server::start(move |asked| {
        if asked.json()["method"] != "subscriptions/listen" {
            return modern(asked);
        }
        let mut all = all.lock().unwrap();
        all.push(Instant::now());
        // Six end at once, and one stands.
        let stands = all.len() == 7;
        let open_for = if stands {
            longest + longest / 4
        } else {
            Duration::ZERO
        };
        Reply {
            open_for,
            ..modern(asked)
        }
    })
    .await;
    let connector = mcp::connect(&*server.url);
    let first = Duration::from_millis(50);
    let _client = connector.backoff(first, longest).await.unwrap();
    let eight = async {
        while asked.lock().unwrap().len() < 8 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_mins(1), eight).await.unwrap();
    let asked = asked.lock().unwrap();
    let waited = |number: usize| asked[number].duration_since(asked[number - 1]);
    assert!(waited(6) >= Duration::from_millis(1_500));
    assert!(
        waited(7) < longest + longest / 4 + Duration::from_secs(1),
        "{:?}",
        waited(7)
    );
}

/// The server has made a task of a call, and answers when nobody waits any more.
#[tokio::test]
async fn a_task_whose_id_comes_too_late_is_withdrawn() {
    let (heard, mut methods) = tokio::sync::mpsc::unbounded_channel();
    let (drops, dropped) = std::sync::mpsc::channel::<()>();
    let dropped = Mutex::new(dropped);
    let server = Server::start(move |asked| {
        let message = asked.json();
        let method = message["method"].as_str().unwrap_or_default();
        let _ = heard.send(method.to_owned());
        let result = match method {
            "tools/call" => {
                dropped.lock().unwrap().recv().unwrap();
                scripted::task()
            }
            "tasks/cancel" => json!({"resultType": "complete"}),
            _ => return modern(asked),
        };
        Reply::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    let tools = client.toolset();
    let mut wait_for = async |method: &str| {
        let found = async { while methods.recv().await.unwrap() != method {} };
        timeout(Duration::from_secs(30), found).await.unwrap();
    };
    tokio::select! {
        result = call(&tools, "echo", "{}") => panic!("{result:?}"),
        () = wait_for("tools/call") => {}
    }
    drops.send(()).unwrap();
    wait_for("tasks/cancel").await;
    let mut asked = server.asked().into_iter().map(|asked| asked.json());
    assert!(
        asked.any(|asked| asked["method"] == "tasks/cancel" && asked["params"]["taskId"] == "t1")
    );
}
