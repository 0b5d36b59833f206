//! What no client may do to a server, to other clients, or to whoever is asked.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use toolwright::executor::OpenCalls;
use toolwright::mcp::{ElicitResult, ElicitResults, McpServer, ServerLimits};
use toolwright::{Context, Outcome, call::Progress, prompt, resource, tool, tools};

use super::mcp_at_once::client::{Client, JSON, LONG};
use super::mcp_server::{Piped, request};

/// Asks before it acts.
#[tool]
fn wipe(#[context] cx: &Context) -> Outcome {
    match ElicitResults::of(cx).get("confirm") {
        Some(ElicitResult::Accept(said)) => Outcome::value(format!("wiped {}", said["how"])),
        Some(_) => Outcome::value("kept"),
        None => {
            let how = json!({"type": "string", "enum": ["half", "whole"]});
            let times = json!({"type": "integer"});
            Outcome::ask("Wipe it?").option("key", "confirm").option(
                "schema",
                json!({"type": "object", "properties": {"how": how, "times": times}, "required": ["how"]}),
            )
        }
    }
}

/// Tells how far it is, again and again.
#[tool]
async fn chatty(#[context] cx: &Context, #[state] ended: &AtomicBool) -> u8 {
    for step in 1..=200 {
        cx.progress(Progress::new(step.into()));
        tokio::task::yield_now().await;
    }
    ended.store(true, Ordering::SeqCst);
    1
}

/// Never ends.
#[tool(background)]
async fn render() -> u8 {
    std::future::pending().await
}

/// Greets.
#[prompt]
fn greet(name: &str) -> String {
    name.to_owned()
}

/// An order.
#[resource("orders://{id}")]
fn order(id: &str) -> String {
    id.to_owned()
}

fn server() -> McpServer {
    McpServer::new(tools![wipe])
        .prompts(tools![greet])
        .resources(tools![order])
}

/// A client of 2026-07-28 that can ask its user.
fn modern(server: McpServer, capabilities: Value) -> Client {
    let mut client = Client::of_2026(&server.http());
    client.meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    client
}

async fn call(client: &Client, name: &str, more: &Value) -> Value {
    let mut params = json!({"name": name, "arguments": {}, "_meta": client.meta});
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().cloned().unwrap());
    let heard = client.naming(name).request("tools/call", &params).await;
    heard.answer(JSON)["result"].clone()
}

/// Another server before this one might read the body otherwise.
#[tokio::test]
async fn bodies_in_codings_that_are_not_undone_are_refused() {
    let client = Client::of_2026(&server().http());
    for (coding, status) in [
        ("chunked", 200),
        ("Chunked", 200),
        ("gzip, chunked", 501),
        ("identity", 501),
        ("chunked, gzip", 501),
        ("", 501),
    ] {
        let client = client.with("mcp-method", "tools/list");
        let client = client.with("transfer-encoding", coding);
        let params = json!({"_meta": client.meta});
        let heard = client.request("tools/list", &params).await;
        assert_eq!(heard.status, status, "{coding:?}: {}", heard.text);
    }
}

#[tokio::test]
async fn nobody_is_taken_to_have_answered_what_nobody_asked() {
    let client = modern(server(), json!({"elicitation": {}}));
    let said = |content: &Value| json!({"confirm": {"action": "accept", "content": content}});
    let asked = call(&client, "wipe", &json!({})).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let state = &asked["requestState"];
    // What does not fit is asked for again.
    for content in [
        json!({}),
        json!({"how": 1}),
        json!({"how": "twice"}),
        json!({"how": "half", "times": 1.5}),
    ] {
        let answer = json!({"inputResponses": said(&content), "requestState": state});
        let again = call(&client, "wipe", &answer).await;
        assert_eq!(again["resultType"], "input_required", "{content}: {again}");
    }
    for content in [json!({"how": "half"}), json!({"how": "half", "times": 2.0})] {
        let answer = json!({"inputResponses": said(&content), "requestState": state});
        let done = call(&client, "wipe", &answer).await;
        assert_eq!(done["content"][0]["text"], r#"wiped "half""#);
    }
}

#[tokio::test]
async fn an_early_answer_counts_once_the_call_asks_for_it() {
    let client = modern(server(), json!({"elicitation": {}}));
    let said = |key: &str, content: &Value| json!({"inputResponses": {key: {"action": "accept", "content": content}}});
    let yes = said("confirm", &json!({"how": "whole"}));
    let done = call(&client, "wipe", &yes).await;
    assert_eq!(done["content"][0]["text"], r#"wiped "whole""#, "{done}");
    for no in [
        said("confirm", &json!({"how": "twice"})),
        said("other", &json!({"how": "whole"})),
    ] {
        let asked = call(&client, "wipe", &no).await;
        assert_eq!(asked["resultType"], "input_required", "{no}: {asked}");
    }
    // What somebody has to see first is shown.
    let approving =
        server().executor(|executor| executor.layer(toolwright::layers::Approval::when(|_| true)));
    let client = modern(approving, json!({"elicitation": {}}));
    let yes = said("toolwright/approval", &json!({"approve": true}));
    let asked = call(&client, "wipe", &yes).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(
        asked["inputRequests"]["toolwright/approval"].is_object(),
        "{asked}"
    );
}

#[tokio::test]
async fn an_array_is_one_invalid_message() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut piped = Piped::new(server()).await;
    for array in ["[]".to_owned(), format!("[{ping}]"), format!("[[{ping}]]")] {
        let answer = piped.ask(&array).await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(-32600)),
            "{array}"
        );
    }
    assert_eq!(piped.ask(ping).await["result"], json!({}));
}

#[tokio::test]
async fn what_a_server_remembers_is_not_longer_than_it_has_to_be() {
    let mut piped = Piped::silent(server());
    let long = "x".repeat(1_100);
    let answer = piped
        .ask(&format!(
            r#"{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}"#
        ))
        .await;
    assert_eq!(
        answer["error"]["message"],
        "the id is longer than 1024 bytes"
    );
    assert_eq!(answer["id"], Value::Null);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"x": "x".repeat(70_000)},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let answer = piped
        .ask(&request(1, "initialize", &hello.to_string()))
        .await;
    let words = "the client's capabilities are longer than 65536 bytes";
    assert_eq!(answer["error"]["message"], words);
    let client = modern(server(), hello["capabilities"].clone());
    let heard = client.call("wipe", "{}").await;
    assert_eq!(heard.messages[0]["error"]["message"], words);

    let mut piped = Piped::new(server()).await;
    let uri = json!({"uri": format!("orders://{}", "7".repeat(9_000))});
    let answer = piped
        .ask(&request(1, "resources/subscribe", &uri.to_string()))
        .await;
    assert_eq!(
        answer["error"]["message"],
        "the URI is longer than 8192 bytes"
    );
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_no_call() {
    let ended = Arc::new(AtomicBool::new(false));
    let tools = tools![chatty; state = Arc::clone(&ended)];
    let client = Client::greeted(&McpServer::new(tools).http(), &json!({})).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "chatty", "arguments": {}, "_meta": {"progressToken": 1},
    }});
    let response = client.send(Method::POST, body.to_string(), None).await;
    let over = async {
        while !ended.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, over)
        .await
        .expect("the call waits for its client");
    drop(response);
}

#[tokio::test]
async fn a_function_that_completes_fails_by_itself() {
    let server = || {
        server().completion("greet", "name", |asked| async move {
            assert_ne!(asked.value, "A", "a bug of the host's");
            vec![asked.value]
        })
    };
    let params = |value: &str| json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": value}});
    let mut piped = Piped::new(server()).await;
    let complete = |id, value: &str| request(id, "completion/complete", &params(value).to_string());
    let answer = piped.ask(&complete(1, "A")).await;
    let words = "the function that completes this argument failed";
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["message"]),
        (&json!(-32603), &json!(words))
    );
    let answer = piped.ask(&complete(2, "B")).await;
    assert_eq!(answer["result"]["completion"]["values"], json!(["B"]));

    let client = Client::greeted(&server().http(), &json!({})).await;
    let heard = client.request("completion/complete", &params("A")).await;
    assert_eq!(heard.messages.last().unwrap()["error"]["message"], words);
}

#[tokio::test]
async fn a_task_ends_in_its_time_whether_another_is_made_or_not() {
    let limits = ServerLimits {
        task: Duration::from_millis(200),
        ..ServerLimits::default()
    };
    let open = OpenCalls::new();
    let server = McpServer::new(tools![render])
        .limits(limits)
        .open_calls(&open);
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = modern(server, tasks);
    let task = call(&client, "render", &json!({})).await;
    let ended = timeout(LONG, open.wait(task["taskId"].as_str().unwrap())).await;
    let ended = format!("{:?}", ended.expect("it goes on").unwrap().state);
    assert!(ended.contains("imeout"), "{ended}");
}
