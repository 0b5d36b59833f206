//! Tasks: calls that outlive their requests, at both ends.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;
use toolwright::executor::OpenCalls;
use toolwright::mcp::{McpServer, ServerLimits};
use toolwright::{
    Context, Outcome, ToolCall, ToolError, Toolset, Wire,
    call::{Cancel, ErrorKind},
    tool, tool_of, tools,
};

use super::mcp_at_once::client::{Client, LONG};
use super::mcp_own::{call, listen_to};
use super::mcp_server::{Piped, request};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// Lets films end.
type Go = Arc<Notify>;

/// Renders a film.
#[tool(background)]
async fn render(#[state] go: Arc<Notify>, minutes: u32) -> Result<String, ToolError> {
    go.notified().await;
    match minutes {
        0 => Err(ToolError::failed("nothing to render")),
        minutes => Ok(format!("{minutes} minutes")),
    }
}

/// Decides while it runs.
#[tool]
async fn decides(
    #[state] go: Arc<Notify>,
    #[context] cx: &Context,
    long: bool,
) -> Result<Outcome, ToolError> {
    if !long {
        return Ok(Outcome::value("short"));
    }
    let (handle, go) = (cx.keep_open().await?, go);
    let outcome = handle.outcome("This takes a while.");
    tokio::spawn(async move {
        go.notified().await;
        handle.end(Ok(Outcome::value("long"))).await
    });
    Ok(outcome)
}

/// Halves.
#[tool(background)]
fn halve(n: i64) -> Result<i64, ToolError> {
    if n % 2 == 0 {
        Ok(n / 2)
    } else {
        Err(ToolError::failed("it is odd"))
    }
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn all(go: &Go) -> Toolset {
    tools![render, decides, add; state = Arc::clone(go)]
}

fn server(go: &Go) -> McpServer {
    McpServer::new(all(go))
}

/// A client of 2026-07-28 that knows of tasks.
fn modern(server: McpServer) -> Client {
    let mut client = Client::of_2026(&server.http());
    client.meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({"extensions": {EXTENSION: {}}});
    client
}

/// The result of a request about a task, or its error.
async fn about(client: &Client, method: &str, id: &str) -> Value {
    let mut client = client.with("mcp-method", method);
    client.set("mcp-name", id);
    let params = json!({"taskId": id, "_meta": client.meta});
    let heard = client.request(method, &params).await;
    let answer = heard.messages.last().expect(&heard.text).clone();
    let result = answer.get("result").or(answer.get("error"));
    result.expect("an answer").clone()
}

/// Asks about a task until it has ended.
async fn end_of(client: &Client, id: &str) -> Value {
    let ended = async {
        loop {
            let task = about(client, "tasks/get", id).await;
            if task["status"] != "working" {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, ended).await.expect("the task did not end")
}

async fn begin(client: &Client, name: &str, arguments: &str) -> Value {
    let heard = client.call(name, arguments).await;
    heard.answer("application/json")["result"].clone()
}

#[tokio::test]
async fn a_call_becomes_a_task_for_a_client_that_knows_of_tasks() {
    let go = Go::default();
    let client = modern(server(&go));
    let task = begin(&client, "render", r#"{"minutes": 3}"#).await;
    assert_eq!(task["resultType"], "task", "{task}");
    assert_eq!(task["status"], "working");
    assert_eq!(
        (&task["ttlMs"], &task["pollIntervalMs"]),
        (&json!(86_400_000), &json!(1_000))
    );
    let id = task["taskId"].as_str().unwrap();
    assert!(id.len() >= 32, "{id} can be guessed");
    let created = task["createdAt"].as_str().unwrap();
    assert!(
        created.starts_with("20") && created.ends_with('Z'),
        "{created}"
    );

    let working = about(&client, "tasks/get", id).await;
    assert_eq!(working["resultType"], "complete");
    assert_eq!(
        (&working["status"], &working["result"]),
        (&json!("working"), &Value::Null)
    );
    assert_eq!(
        about(&client, "tasks/update", id).await,
        json!({"resultType": "complete"})
    );
    go.notify_one();
    let ended = end_of(&client, id).await;
    assert_eq!(ended["status"], "completed");
    assert_eq!(ended["result"]["content"][0]["text"], "3 minutes");
    assert_eq!(ended["createdAt"], created);
    assert!(ended["lastUpdatedAt"].as_str() >= Some(created));
    // It can be asked for again.
    assert_eq!(about(&client, "tasks/get", id).await, ended);
}

#[tokio::test]
async fn errors_of_a_task_are_results_that_the_model_reads() {
    let go = Go::default();
    let client = modern(server(&go));
    let task = begin(&client, "render", r#"{"minutes": 0}"#).await;
    go.notify_one();
    let ended = end_of(&client, task["taskId"].as_str().unwrap()).await;
    assert_eq!(
        (&ended["status"], &ended["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
    // What is wrong with the arguments is said at once.
    let wrong = begin(&client, "render", r#"{"minutes": "many"}"#).await;
    assert_eq!(
        (&wrong["resultType"], &wrong["isError"]),
        (&json!("complete"), &json!(true))
    );
}

#[tokio::test]
async fn a_tool_decides_while_it_runs_whether_its_call_becomes_a_task() {
    let go = Go::default();
    let client = modern(server(&go));
    let short = begin(&client, "decides", r#"{"long": false}"#).await;
    assert_eq!(short["content"][0]["text"], "short");
    let task = begin(&client, "decides", r#"{"long": true}"#).await;
    assert_eq!(task["resultType"], "task", "{task}");
    go.notify_one();
    let ended = end_of(&client, task["taskId"].as_str().unwrap()).await;
    assert_eq!(ended["result"]["content"][0]["text"], "long");
    let sum = begin(&client, "add", r#"{"a": 1, "b": 2}"#).await;
    assert_eq!(sum["structuredContent"], 3);
}

#[tokio::test]
async fn a_client_that_knows_of_no_tasks_waits() {
    let go = Go::default();
    let server = server(&go);
    let client = Client::of_2026(&server.clone().http());
    let waits = tokio::spawn(async move { begin(&client, "render", r#"{"minutes": 3}"#).await });
    go.notify_one();
    let result = timeout(LONG, waits).await.unwrap().unwrap();
    assert_eq!(result["content"][0]["text"], "3 minutes");

    let client = Client::of_2026(&server.http());
    let error = about(&client, "tasks/get", "1").await;
    assert_eq!(error["code"], -32021);
    assert_eq!(
        error["data"]["requiredCapabilities"],
        json!({"extensions": {EXTENSION: {}}})
    );
}

#[tokio::test]
async fn a_task_is_cancelled() {
    let go = Go::default();
    let open = OpenCalls::new();
    let client = modern(server(&go).open_calls(&open));
    let task = begin(&client, "render", r#"{"minutes": 3}"#).await;
    let id = task["taskId"].as_str().unwrap();
    assert_eq!(open.list()[0].key, id);
    for _ in 0..2 {
        // Once it has ended, nothing changes.
        assert_eq!(
            about(&client, "tasks/cancel", id).await,
            json!({"resultType": "complete"})
        );
        let ended = about(&client, "tasks/get", id).await;
        assert_eq!(
            (&ended["status"], &ended["result"]),
            (&json!("cancelled"), &Value::Null)
        );
    }
    // Nobody renders it any more.
    tokio::task::yield_now().await;
    go.notify_waiters();
    assert_eq!(about(&client, "tasks/get", id).await["status"], "cancelled");

    let error = about(&client, "tasks/get", "none").await;
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32602), &json!("unknown task `none`"))
    );
}

#[tokio::test]
async fn a_head_names_the_task() {
    let client = modern(server(&Go::default()));
    let client = client
        .with("mcp-method", "tasks/get")
        .with("mcp-name", "another");
    let params = json!({"taskId": "one", "_meta": client.meta});
    let heard = client.request("tasks/get", &params).await;
    assert_eq!(heard.status, 400, "{}", heard.text);
    assert_eq!(heard.messages[0]["error"]["code"], -32020);
}

#[tokio::test]
async fn tasks_whose_time_is_over_make_room_and_no_more_than_1024_are_kept() {
    let go = Go::default();
    let limits = ServerLimits {
        task: Duration::from_millis(300),
        ..ServerLimits::default()
    };
    let open = OpenCalls::new();
    let client = modern(server(&go).limits(limits).open_calls(&open));
    let first = begin(&client, "render", r#"{"minutes": 3}"#).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    let second = begin(&client, "render", r#"{"minutes": 3}"#).await;
    assert_ne!(first["taskId"], second["taskId"]);
    let keys: Vec<_> = open.list().into_iter().map(|call| call.key).collect();
    assert_eq!(keys, [second["taskId"].as_str().unwrap()]);

    let open = OpenCalls::new();
    let client = modern(server(&go).open_calls(&open));
    for _ in 0..1_024 {
        assert_eq!(
            begin(&client, "render", r#"{"minutes": 3}"#).await["resultType"],
            "task"
        );
    }
    let waits = tokio::spawn(async move { begin(&client, "render", r#"{"minutes": 3}"#).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!waits.is_finished());
    assert_eq!(open.len(), 1_024);
    // On a busy machine the last one may not wait yet.
    let ended = async {
        while !waits.is_finished() {
            go.notify_waiters();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        waits.await
    };
    let result = timeout(LONG, ended).await.unwrap().unwrap();
    assert_eq!(result["content"][0]["text"], "3 minutes");
}

#[tokio::test]
async fn a_client_of_2025_waits() {
    let go = Go::default();
    let mut client = Piped::new(server(&go)).await;
    let listed = client.ask(&request(1, "tools/list", "{}")).await;
    assert!(!listed.to_string().contains("taskSupport"), "{listed}");
    // Its own wish for a task is passed over, as by servers without tasks.
    let params = r#"{"name": "render", "arguments": {"minutes": 3}, "task": {"ttl": 60000}}"#;
    client.say(&request(2, "tools/call", params)).await;
    go.notify_one();
    let answer = client.hear().await;
    assert_eq!(answer["result"]["content"][0]["text"], "3 minutes");
    for method in [
        "tasks/get",
        "tasks/list",
        "tasks/result",
        "tasks/cancel",
        "tasks/update",
    ] {
        let answer = client.ask(&request(3, method, r#"{"taskId": "1"}"#)).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn tasks_end_with_the_host() {
    let stop = Cancel::new();
    let open = OpenCalls::new();
    let go = Go::default();
    let cx = Context::new().with_cancel(stop.clone());
    let client = modern(server(&go).context(cx).open_calls(&open));
    let task = begin(&client, "render", r#"{"minutes": 3}"#).await;
    assert_eq!(task["resultType"], "task", "{task}");
    stop.cancel();
    let ended = timeout(LONG, open.wait(task["taskId"].as_str().unwrap())).await;
    let ended = ended.unwrap().unwrap();
    let kind = format!("{:?}", ended.state);
    assert!(kind.contains("ancel"), "{kind}");
}

#[tokio::test]
async fn our_client_waits_for_a_task() {
    let go = Go::default();
    let open = OpenCalls::new();
    let listening = listen_to(server(&go).open_calls(&open)).await;
    let client = listening.connector().await.unwrap();
    let tools = client.toolset();
    let (ended, begun) = tokio::join!(call(&tools, "render", r#"{"minutes": 3}"#), async {
        while open.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        go.notify_one();
    });
    assert_eq!(((), ended.value()), (begun, Some("3 minutes".into())));
    go.notify_one();
    let failed = call(&tools, "render", r#"{"minutes": 0}"#).await;
    let error = failed.outcome.unwrap_err();
    assert!(error.to_string().contains("nothing to render"), "{error}");
    assert_eq!(
        call(&tools, "add", r#"{"a": 1, "b": 2}"#).await.value(),
        Some(3.into())
    );

    // A call that the host cancels ends the task, and so does one that nobody waits for.
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let before = open.len();
    let running = ToolCall::new("1", "render", r#"{"minutes": 5}"#);
    let (result, ()) = tokio::join!(tools.call(&running, &cx), async {
        while open.len() == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    });
    let error = result.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(error.is_outcome_unknown(), "{error:?}");
    cancelled(&open, before).await;

    let cx = Context::new();
    let begun = async {
        while open.len() == before + 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        result = tools.call(&running, &cx) => panic!("it ended: {result:?}"),
        () = begun => {}
    }
    cancelled(&open, before + 1).await;
}

/// The task at this place is cancelled.
async fn cancelled(open: &OpenCalls, place: usize) {
    let key = open.list()[place].key.clone();
    let ended = timeout(LONG, open.wait(&key)).await.expect("it goes on");
    let ended = format!("{:?}", ended.unwrap().state);
    assert!(ended.contains("ancel"), "{ended}");
}

#[tokio::test]
async fn our_client_leaves_out_what_a_server_of_2025_calls_only_as_a_task() {
    let required = json!({"execution": {"taskSupport": "required"}});
    let listening = listen_to(McpServer::new(
        Toolset::new([tool_of!(halve).with_extras(Wire::Mcp, required).unwrap()]).unwrap(),
    ))
    .await;
    let client = listening.connector().initialize().await.unwrap();
    assert_eq!(client.toolset().iter().count(), 0);
    let notices: Vec<_> = client.notices().iter().map(ToString::to_string).collect();
    assert!(
        notices.len() == 1 && notices[0].contains("only called as a task"),
        "{notices:?}"
    );
    // Since 2026-07-28 the server decides, and the word has no meaning.
    let client = listening.connector().await.unwrap();
    let result = call(&client.toolset(), "halve", r#"{"n": 4}"#).await;
    assert_eq!(result.value(), Some(2.into()), "{result:?}");
}
