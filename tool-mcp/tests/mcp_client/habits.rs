//! Results in forms of their own, cookies of load balancers, lines that are no messages, and many requests at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::{sleep, timeout};
use toolwright::Outcome;
use toolwright::call::ErrorKind;
use toolwright_mcp::{self as mcp, ElicitResult, Elicitation, ServerAt};

use super::raw_http::{Asked, Reply, Server, answered, plain};
use super::texts::raw_pipe;
use super::{call, text, told};

/// A server of one tool, whose calls have this result.
pub(crate) fn resulting(result: &'static str) -> ServerAt {
    raw_pipe(move |asked| {
        let result = match asked["method"].as_str() {
            Some("initialize") => r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#,
            Some("tools/list") => r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#,
            _ => result,
        };
        format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#)
    })
}

/// Bridges in JavaScript parse a message and write it again.
#[tokio::test]
async fn a_number_is_one_number_however_it_is_written() {
    for (structured, words, is_said) in [
        (r#"{"n":1.0}"#, r#"{\"n\":1}"#, true),
        (r#"{"n":1}"#, r#"{\"n\": 1.0}"#, true),
        (
            r#"{"a":[1e2,{"b":-0.0}],"c":2}"#,
            r#"{\"c\":2.0,\"a\":[100,{\"b\":0}]}"#,
            true,
        ),
        (r#"{"result":5.0}"#, "5", true),
        (
            r#"{"n":12345678901234567890.0}"#,
            r#"{\"n\":12345678901234567890}"#,
            true,
        ),
        (r#"{"n":1.5}"#, r#"{\"n\":1}"#, false),
        (
            r#"{"n":12345678901234567891}"#,
            r#"{\"n\":12345678901234567890}"#,
            false,
        ),
        (r#"{"n":"1.0"}"#, r#"{\"n\":1}"#, false),
    ] {
        let result = format!(
            r#"{{"structuredContent":{structured},"content":[{{"type":"text","text":"{words}"}}]}}"#
        );
        let client = mcp::connect(resulting(result.leak())).await.unwrap();
        let outcome = call(&client.toolset(), "echo", "{}").await.outcome.unwrap();
        assert_eq!(
            matches!(outcome, Outcome::Value(_)),
            is_said,
            "{structured} {words}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn a_strict_client_takes_a_number_that_is_written_otherwise_for_another() {
    for (structured, words, is_said) in [
        (r#"{"n":1.0}"#, r#"{\"n\":1.0}"#, true),
        (r#"{"n":1.0,"m":2}"#, r#"{\"m\": 2, \"n\": 1.0}"#, true),
        (r#"{"result":5}"#, "5", true),
        (r#"{"n":1.0}"#, r#"{\"n\":1}"#, false),
        (r#"{"n":[1e2]}"#, r#"{\"n\":[100]}"#, false),
        (r#"{"result":5.0}"#, "5", false),
    ] {
        let result = format!(
            r#"{{"structuredContent":{structured},"content":[{{"type":"text","text":"{words}"}}]}}"#
        );
        let at = resulting(result.leak());
        let client = mcp::connect(at).initialize().strict().await.unwrap();
        let outcome = call(&client.toolset(), "echo", "{}").await.outcome.unwrap();
        let is_value = matches!(outcome, Outcome::Value(_));
        assert_eq!(is_value, is_said, "{structured} {words}: {outcome:?}");
    }
}

#[tokio::test]
async fn content_that_is_no_list_is_read_or_left_out() {
    for (content, says, notes) in [
        (r#"{"type":"text","text":"one"}"#, "one", 0),
        (r#""one""#, "one", 0),
        (r#"["one"]"#, "one", 0),
        ("null", "null", 0),
        ("7", "null", 1),
        ("true", "null", 1),
    ] {
        let result = format!(r#"{{"content":{content}}}"#).leak();
        let (connector, told) = told(mcp::connect(resulting(result)).initialize());
        let client = connector.await.unwrap();
        let result = call(&client.toolset(), "echo", "{}").await;
        assert_eq!(text(&result), says, "{content}");
        assert_eq!(told.all().len(), notes, "{content}: {:?}", told.all());
    }
    // The rest of the result counts.
    let client = mcp::connect(resulting(r#"{"content":7,"structuredContent":{"n":1}}"#)).await;
    let result = call(&client.unwrap().toolset(), "echo", "{}").await;
    assert_eq!(result.value(), Some(json!({"n": 1})));
    let client = mcp::connect(resulting(r#"{"content":"one"}"#))
        .strict()
        .await
        .unwrap();
    let result = call(&client.toolset(), "echo", "{}").await;
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::InvalidReturn);
}

/// A server that prints what it does to standard output.
#[tokio::test]
async fn a_call_without_an_answer_quotes_the_line_that_was_skipped() {
    let noise = Arc::new(AtomicBool::new(true));
    let is_noisy = Arc::clone(&noise);
    let at = raw_pipe(move |asked| {
        let result = match asked["method"].as_str() {
            Some("initialize") => r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#,
            Some("tools/list") => r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#,
            // No message is taken from within a line.
            Some("tools/call") if is_noisy.load(Ordering::SeqCst) => {
                return "loading\u{1b}[2J… {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[]}}".to_owned();
            }
            _ => return String::new(),
        };
        format!("banner\n{{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{result}}}")
    });
    let limit = Duration::from_millis(300);
    let client = mcp::connect(at)
        .initialize()
        .idle_timeout(limit)
        .await
        .unwrap();
    let error = call(&client.toolset(), "echo", "{}")
        .await
        .outcome
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    let words = error.to_string();
    assert!(
        words.contains(r#"`loading\u{1b}[2J… {"jsonrpc""#),
        "{words}"
    );
    // A line from before the call says nothing of it.
    noise.store(false, Ordering::SeqCst);
    let error = call(&client.toolset(), "echo", "{}")
        .await
        .outcome
        .unwrap_err();
    assert!(!error.to_string().contains("loading"), "{error}");
}

#[tokio::test]
async fn a_line_of_json_that_is_no_message_is_quoted_too() {
    for line in [
        r#"{"level":"info","msg":"loading"}"#,
        r#"{"jsonrpc":"2.0","msg":"loading"}"#,
        r#"["loading"]"#,
        "[]",
        "7",
    ] {
        let at = raw_pipe(move |asked| {
            let result = match asked["method"].as_str() {
                Some("initialize") => r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#,
                Some("tools/list") => {
                    r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#
                }
                _ => return line.to_owned(),
            };
            format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#)
        });
        let client = mcp::connect(at)
            .initialize()
            .idle_timeout(Duration::from_millis(300))
            .await
            .unwrap();
        let error = call(&client.toolset(), "echo", "{}").await.outcome;
        let words = error.unwrap_err().to_string();
        assert!(words.contains(&format!("`{line}`")), "{line}: {words}");
    }
}

#[tokio::test]
async fn an_odd_part_of_a_list_of_prompts_costs_that_part() {
    let prompt = r#"{"name":"one"}"#;
    let resource = r#"{"name":"one","uri":"x:1"}"#;
    for (entries, cursor, pages, notes) in [
        ("ONE", "null", 1, 0),
        ("ONE", r#""""#, 1, 0),
        ("ONE", "2", 2, 0),
        ("ONE", "false", 1, 0),
        ("ONE", "true", 1, 1),
        ("ONE", r#"{"x":1}"#, 1, 1),
        (r#"{"name":7},ONE"#, "null", 1, 1),
        (r#"ONE,"x",{}"#, "null", 1, 2),
    ] {
        let at = raw_pipe(move |asked| {
            let method = asked["method"].as_str().unwrap_or_default();
            let (key, one) = match method.split('/').next() {
                Some("prompts") => ("prompts", prompt),
                Some("resources") if method.contains("templates") => {
                    ("resourceTemplates", resource)
                }
                Some("resources") => ("resources", resource),
                Some("tools") => ("tools", ""),
                _ => {
                    let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#;
                    return format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{hello}}}"#);
                }
            };
            let entries = if key == "tools" { "" } else { entries };
            let entries = entries.replace("ONE", one);
            let is_last = key == "tools" || !asked["params"]["cursor"].is_null();
            let cursor = if is_last { "null" } else { cursor };
            format!(
                r#"{{"jsonrpc":"2.0","id":ID,"result":{{"{key}":[{entries}],"nextCursor":{cursor}}}}}"#
            )
        });
        let (connector, told) = told(mcp::connect(at).initialize());
        let client = connector.await.unwrap();
        let row = format!("{entries} {cursor}");
        assert_eq!(client.prompts().await.unwrap().len(), pages, "{row}");
        assert_eq!(client.resources().await.unwrap().len(), pages, "{row}");
        let templates = client.resource_templates().await.unwrap();
        assert_eq!(templates.len(), pages, "{row}");
        assert_eq!(told.all().len(), 3 * notes, "{row}: {:?}", told.all());
    }
}

/// What came as `Cookie` with each request of this method.
fn cookies(server: &Server, method: &str) -> Vec<String> {
    let asked = server.asked().into_iter();
    let asked = asked.filter(|asked| asked.json()["method"] == method || asked.method == method);
    asked
        .map(|asked| asked.header("cookie").to_owned())
        .collect()
}

/// punkpeye/mcp-remote#168.
#[tokio::test]
async fn cookies_of_a_balancer_come_back_as_long_as_the_session() {
    let sessions = AtomicU32::new(0);
    let server = Server::start(move |asked| match asked.json()["method"].as_str() {
        Some("initialize") => {
            let number = sessions.fetch_add(1, Ordering::SeqCst);
            let reply = plain(asked)
                .unwrap()
                .with("mcp-session-id", &number.to_string());
            reply
                .with(
                    "set-cookie",
                    &format!("AWSALB=s{number}; Expires=Wed, 01 Jan 2099 00:00:00 GMT; Path=/"),
                )
                .with("set-cookie", "below=1; Path=/mcp")
                .with("set-cookie", "elsewhere=1; Path=/mc")
                .with("set-cookie", "other=1; Path=/other")
                .with("set-cookie", "secure=1; Secure")
                .with("set-cookie", "domain=1; Domain=example.com")
                .with("set-cookie", &format!("long={}", "x".repeat(4 * 1024)))
                .with("set-cookie", "=none")
        }
        Some("tools/call") if asked.header("mcp-session-id") == "0" => {
            Reply::status("404 Not Found")
        }
        Some("tools/call") => {
            Reply::json(&answered(asked, "done")).with("set-cookie", "below=; Max-Age=0; Path=/mcp")
        }
        _ => plain(asked).unwrap(),
    })
    .await;
    let client = mcp::connect(&*server.url)
        .header("cookie", "host=1")
        .await
        .unwrap();
    for _ in 0..2 {
        assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    }
    client.close().await;
    assert_eq!(cookies(&server, "initialize"), ["host=1", "host=1"]);
    let (first, second) = ("host=1; AWSALB=s0; below=1", "host=1; AWSALB=s1; below=1");
    let called = cookies(&server, "tools/call");
    assert_eq!(called, [first, second, "host=1; AWSALB=s1"]);
    assert_eq!(cookies(&server, "DELETE"), ["host=1; AWSALB=s1"]);
}

/// A balancer may set one in the redirect itself.
#[tokio::test]
async fn each_place_of_a_redirect_gets_its_own_cookies() {
    let server = Server::start(|asked| {
        if asked.path == "/mcp" {
            let moved = Reply::status("307 Temporary Redirect").with("location", "/v2/tools");
            return moved.with("set-cookie", "balancer=1; Path=/");
        }
        let reply = plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done")));
        if asked.json()["method"] != "initialize" {
            return reply;
        }
        reply
            .with("mcp-session-id", "1")
            .with("set-cookie", "old=1; Path=/mcp")
            .with("set-cookie", "new=1; Path=/v2")
            .with("set-cookie", "folder=1")
            .with("set-cookie", "below=1; Path=/v2/tools/below")
    })
    .await;
    let client = mcp::connect(&*server.url).initialize().await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
    client.close().await;
    for method in ["tools/call", "DELETE"] {
        let sent = cookies(&server, method);
        let expected = ["old=1; balancer=1", "new=1; folder=1; balancer=1"];
        assert_eq!(sent, expected, "{method}");
    }
    assert_eq!(cookies(&server, "initialize"), ["", "balancer=1"]);
}

#[tokio::test]
async fn cookies_are_few_and_none_for_a_strict_client() {
    let server = || {
        Server::start(|asked| {
            let mut reply = plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done")));
            if asked.json()["method"] == "initialize" {
                for number in 0..20 {
                    reply = reply.with("set-cookie", &format!("c{number}=1"));
                }
            }
            reply
        })
    };
    let (loose, strict) = (server().await, server().await);
    let client = mcp::connect(&*loose.url).await.unwrap();
    call(&client.toolset(), "echo", "{}").await;
    let sent = cookies(&loose, "tools/call").remove(0);
    assert_eq!(
        (sent.split("; ").count(), sent.ends_with("c19=1")),
        (8, true),
        "{sent}"
    );
    let client = mcp::connect(&*strict.url).strict().await.unwrap();
    call(&client.toolset(), "echo", "{}").await;
    assert_eq!(cookies(&strict, "tools/call"), [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_question_does_not_wait_behind_calls() {
    let (calls, said) = (
        Arc::new(AtomicU32::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let (count, is_said) = (Arc::clone(&calls), Arc::clone(&said));
    let server = Server::start(move |asked: &Asked| {
        let message = asked.json();
        if message["id"] == "q" {
            is_said.store(true, Ordering::SeqCst);
            return Reply::new("202 Accepted", "text/plain", "");
        }
        plain(asked).map_or_else(
            || {
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                let asks = json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create",
                    "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}});
                let events = if number == 1_024 {
                    format!("data: {asks}\n\n")
                } else {
                    ": wait\n\n".to_owned()
                };
                Reply {
                    open_for: Duration::from_mins(1),
                    ..Reply::events(events)
                }
            },
            |reply| reply.with("mcp-session-id", "s1"),
        )
    })
    .await;
    let client = mcp::connect(&*server.url)
        .initialize()
        .on_elicitation(|_: Elicitation| async { ElicitResult::Decline })
        .await
        .unwrap();
    let tools = client.toolset();
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..1_040 {
        let tools = tools.clone();
        running.spawn(async move { call(&tools, "echo", "{}").await });
    }
    let answered = async {
        while !said.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let is_answered = timeout(Duration::from_secs(20), answered).await.is_ok();
    assert!(is_answered, "{} calls", calls.load(Ordering::SeqCst));
    // The bound holds.
    assert_eq!(calls.load(Ordering::SeqCst), 1_024);
}

#[tokio::test]
async fn a_stream_that_brings_nothing_is_not_asked_for_without_a_pause() {
    for events in ["retry: 0\n\n", "retry: 0\nid: 1\ndata:\n\n", "retry: 1\n\n"] {
        let gets = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&gets);
        let server = Server::start(move |asked| {
            if asked.method == "GET" {
                count.fetch_add(1, Ordering::SeqCst);
                return Reply::events(events);
            }
            plain(asked).unwrap().with("mcp-session-id", "s1")
        })
        .await;
        let pauses = (Duration::from_millis(50), Duration::from_millis(200));
        let start = Instant::now();
        let _client = mcp::connect(&*server.url)
            .initialize()
            .backoff(pauses.0, pauses.1)
            .await
            .unwrap();
        while gets.load(Ordering::SeqCst) < 8 {
            sleep(Duration::from_millis(5)).await;
        }
        assert!(
            start.elapsed() > Duration::from_millis(700),
            "{:?}",
            start.elapsed()
        );
    }
}
