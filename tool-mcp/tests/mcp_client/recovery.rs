//! What goes wrong on the way, and what the client makes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};
use tokio::time::{sleep, timeout};
use toolwright::call::ErrorKind;
use toolwright_mcp::{self as mcp, ElicitResult, Elicitation, ServerAt};

use super::raw_http::{Reply, Server, answered, plain};
use super::{call, connect, text};

const LONG: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_server_that_ends_at_the_newer_greeting_is_started_once_more() {
    let (connector, told) = connect("knows one greeting");
    let client = connector.await.unwrap();
    assert_eq!(client.protocol(), Some("2025-11-25"));
    assert!(client.toolset().iter().next().is_some(), "{:?}", told.all());
}

#[tokio::test]
async fn a_session_that_is_forgotten_while_it_is_opened_is_no_end() {
    let greeted = AtomicU32::new(0);
    let server = Server::start(move |asked| {
        let message = asked.json();
        let session = asked.header("mcp-session-id").to_owned();
        match message["method"].as_str() {
            Some("initialize") => {
                let number = greeted.fetch_add(1, Ordering::SeqCst) + 1;
                plain(asked)
                    .unwrap()
                    .with("mcp-session-id", &number.to_string())
            }
            // Another server behind the same balancer.
            Some("notifications/initialized") if session == "2" => Reply::status("404 Not Found"),
            Some("tools/call") if session == "1" => Reply::status("404 Not Found"),
            _ => plain(asked).unwrap_or_else(|| Reply::json(&answered(asked, "done"))),
        }
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    for _ in 0..2 {
        let tools = client.toolset();
        let called = timeout(LONG, call(&tools, "echo", "{}")).await;
        assert_eq!(text(&called.expect("it waits for ever")), "done");
    }
}

#[tokio::test]
async fn a_call_that_found_no_session_is_known_not_to_have_run() {
    let greeted = AtomicBool::new(false);
    let server = Server::start(move |asked| match asked.json()["method"].as_str() {
        Some("initialize") if greeted.swap(true, Ordering::SeqCst) => {
            Reply::status("500 Internal Server Error")
        }
        Some("tools/call") => Reply::status("404 Not Found"),
        _ => plain(asked).unwrap().with("mcp-session-id", "s1"),
    })
    .await;
    let client = mcp::connect(&*server.url).await.unwrap();
    let result = timeout(LONG, call(&client.toolset(), "echo", "{}")).await;
    let error = result.unwrap().outcome.unwrap_err();
    assert!(!error.is_outcome_unknown(), "{error:?}");
    assert!(error.to_string().contains("did not run"), "{error}");
}

#[tokio::test]
async fn an_answer_for_a_task_is_sent_until_it_arrives_and_asked_for_once() {
    let (updates, asked_people) = (AtomicU32::new(0), Arc::<AtomicU32>::default());
    let gets = AtomicU32::new(0);
    let server = Server::start(move |asked| {
        let message = asked.json();
        let task = |status: &str| {
            json!({"taskId": "t", "status": status, "ttlMs": null, "pollIntervalMs": 50,
                "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"})
        };
        let result = match message["method"].as_str() {
            Some("server/discover") => {
                json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
            }
            Some("tools/list") => {
                json!({"tools": [{"name": "film", "inputSchema": {"type": "object"}}]})
            }
            Some("tools/call") => {
                let mut task = task("working");
                task["resultType"] = "task".into();
                task
            }
            Some("tasks/update") => {
                assert_eq!(message["params"]["inputResponses"]["q"]["action"], "accept");
                if updates.fetch_add(1, Ordering::SeqCst) < 2 {
                    return Reply::hang_up();
                }
                json!({"resultType": "complete"})
            }
            // An error that says nothing of the task.
            Some("tasks/get") if gets.fetch_add(1, Ordering::SeqCst) == 0 => {
                let error = json!({"code": -32603, "message": "later"});
                return Reply::json(
                    &json!({"jsonrpc": "2.0", "id": message["id"], "error": error}),
                );
            }
            Some("tasks/get") if updates.load(Ordering::SeqCst) < 3 => {
                let mut task = task("input_required");
                task["inputRequests"] = json!({"q": {"method": "elicitation/create", "params": {
                    "message": "How long?", "requestedSchema": {"type": "object", "properties": {}},
                }}});
                task
            }
            Some("tasks/get") => {
                let mut task = task("completed");
                task["result"] = json!({"content": [{"type": "text", "text": "done"}]});
                task
            }
            _ => json!({}),
        };
        Reply::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    })
    .await;
    let people = Arc::clone(&asked_people);
    let client = mcp::connect(&*server.url)
        .on_elicitation(move |_: Elicitation| {
            people.fetch_add(1, Ordering::SeqCst);
            async { ElicitResult::Accept(serde_json::Map::new()) }
        })
        .backoff(Duration::from_millis(10), Duration::from_millis(10))
        .await
        .unwrap();
    let result = timeout(LONG, call(&client.toolset(), "film", "{}")).await;
    assert_eq!(text(&result.expect("it polls for ever")), "done");
    assert_eq!(asked_people.load(Ordering::SeqCst), 1);
}

/// A server at the other end of a pipe, which answers calls by what the function writes.
async fn serve<F>(pipe: DuplexStream, mut at_call: impl FnMut(Value) -> F)
where
    F: Future<Output = Vec<(Duration, Value)>>,
{
    let (input, mut output) = split(pipe);
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let asked: Value = serde_json::from_str(&line).unwrap();
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "pipe", "version": "1"},
            }),
            Some("tools/list") => {
                json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})
            }
            Some("notifications/initialized" | "notifications/cancelled") => continue,
            _ => {
                for (pause, message) in at_call(asked).await {
                    sleep(pause).await;
                    let _ = output.write_all(format!("{message}\n").as_bytes()).await;
                }
                continue;
            }
        };
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        output
            .write_all(format!("{answer}\n").as_bytes())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_server_has_its_whole_time_again_when_a_person_has_answered() {
    let at = ServerAt::pipes(|| {
        let (ours, theirs) = duplex(1 << 16);
        tokio::spawn(async move {
            let mut call = Value::Null;
            serve(theirs, move |asked| {
                let said = if asked["method"] == "tools/call" {
                    call = asked["id"].clone();
                    let params = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
                    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params});
                    vec![(Duration::ZERO, ask)]
                } else {
                    let result = json!({"content": [{"type": "text", "text": "done"}]});
                    let answer = json!({"jsonrpc": "2.0", "id": call, "result": result});
                    vec![(Duration::from_millis(500), answer)]
                };
                async { said }
            })
            .await;
        });
        Ok(split(ours))
    });
    let client = mcp::connect(at)
        .initialize()
        .idle_timeout(Duration::from_millis(800))
        .on_elicitation(|_: Elicitation| async {
            sleep(Duration::from_millis(600)).await;
            ElicitResult::Accept(serde_json::Map::new())
        })
        .await
        .unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "done");
}

#[tokio::test]
async fn a_server_that_hears_nothing_more_is_connected_to_again() {
    let opened = Arc::<AtomicU32>::default();
    let count = Arc::clone(&opened);
    let at = ServerAt::pipes(move || {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        let (input, to_client) = duplex(1 << 16);
        let (from_client, output) = duplex(1 << 16);
        tokio::spawn(async move {
            let mut to_client = to_client;
            let mut lines = BufReader::new(from_client).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let asked: Value = serde_json::from_str(&line).unwrap();
                let result = match asked["method"].as_str() {
                    Some("initialize") => json!({
                        "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "pipe", "version": "1"},
                    }),
                    Some("tools/list") => {
                        json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})
                    }
                    Some("tools/call") => json!({"content": [{"type": "text", "text": "done"}]}),
                    _ => continue,
                };
                let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
                to_client
                    .write_all(format!("{answer}\n").as_bytes())
                    .await
                    .unwrap();
                if is_first && asked["method"] == "tools/list" {
                    // It reads no more, and does not end.
                    drop(lines);
                    std::future::pending::<()>().await;
                    unreachable!("{to_client:?}");
                }
            }
        });
        Ok((input, output))
    });
    let quick = Duration::from_millis(10);
    let client = mcp::connect(at)
        .initialize()
        .backoff(quick, quick)
        .await
        .unwrap();
    let tools = client.toolset();
    let lost = timeout(LONG, call(&tools, "echo", "{}"))
        .await
        .expect("it waits for ever");
    if let Err(error) = lost.outcome {
        assert_eq!(error.kind(), ErrorKind::Failed, "{error:?}");
    }
    let again = timeout(LONG, call(&tools, "echo", "{}")).await;
    assert_eq!(text(&again.expect("it waits for ever")), "done");
    assert_eq!(opened.load(Ordering::SeqCst), 2);
}
