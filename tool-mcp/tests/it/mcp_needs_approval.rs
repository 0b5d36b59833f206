//! Tools with a parameter `Approved<'_>` behind a server: the client's user is asked, or nothing runs.
// A test that finds less than it expects has failed; and a yes is taken by value.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::items_after_statements,
    clippy::default_trait_access
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use toolwright::call::Approved;
use toolwright::mcp::McpServer;
use toolwright::{Registry, tool, tools};

use super::mcp_server::{Piped, request};

/// Pays a bill.
#[tool]
async fn pay(bill: u32, yes: Approved<'_>, #[state] paid: &AtomicU32) -> String {
    paid.fetch_add(1, Ordering::Relaxed);
    format!("{bill}, as in {}", yes.arguments())
}

fn server(paid: &Arc<AtomicU32>) -> McpServer {
    McpServer::new(tools![pay; state = Arc::clone(paid)])
}

fn call(id: u32, bill: &str) -> String {
    let params = format!(r#"{{"name":"pay","arguments":{{"bill":{bill}}}}}"#);
    request(id, "tools/call", &params)
}

fn text(answer: &Value) -> (bool, &str) {
    let result = &answer["result"];
    (
        result["isError"] == true,
        result["content"][0]["text"].as_str().unwrap_or_default(),
    )
}

#[tokio::test]
async fn the_user_of_a_client_is_asked() {
    let paid = Arc::new(AtomicU32::new(0));
    let mut client = Piped::with_a_user(server(&paid)).await;
    let table = [
        (json!({"action": "decline"}), true, "the call was rejected"),
        (
            json!({"action": "cancel"}),
            true,
            "the call was rejected: nobody decided",
        ),
        (
            json!({"action": "accept", "content": {"approve": false, "reason": "too much"}}),
            true,
            "the call was rejected: too much",
        ),
    ];
    for (id, (says, is_error, said)) in (1..).zip(table) {
        let asked = client.ask(&call(id, "7")).await;
        assert_eq!(asked["method"], "elicitation/create");
        let message = asked["params"]["message"].as_str().unwrap();
        assert!(message.contains(r#"`pay` with {"bill":7}"#), "{message}");
        let says = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
        let answer = client.ask(&says.to_string()).await;
        assert_eq!(text(&answer), (is_error, said));
    }
    assert_eq!(paid.load(Ordering::Relaxed), 0);
    let asked = client.ask(&call(9, "7")).await;
    let yes = json!({"action": "accept", "content": {"approve": true}});
    let says = json!({"jsonrpc": "2.0", "id": asked["id"], "result": yes});
    let answer = client.ask(&says.to_string()).await;
    assert_eq!(text(&answer), (false, r#"7, as in {"bill":7}"#));
    assert_eq!(paid.load(Ordering::Relaxed), 1);
    // A yes is for one call.
    let asked = client.ask(&call(10, "7")).await;
    assert_eq!(asked["method"], "elicitation/create");
    assert_eq!(paid.load(Ordering::Relaxed), 1);
}

/// Pays a bill, and a fee.
#[tool(name = "pay")]
async fn pay_more(bill: u32, yes: Approved<'_>, #[state] paid: &AtomicU32) -> String {
    paid.fetch_add(100, Ordering::Relaxed);
    format!("{bill} and a fee, as in {}", yes.arguments())
}

/// A yes is for the tool that was shown.
#[tokio::test]
async fn a_tool_that_is_replaced_while_its_user_is_asked_waits_again() {
    let yes = json!({"action": "accept", "content": {"approve": true}});
    for is_modern in [false, true] {
        let paid = Arc::new(AtomicU32::new(0));
        let tools = Registry::from(tools![pay; state = Arc::clone(&paid)]);
        let server = McpServer::new(tools.clone());
        let mut client = if is_modern {
            Piped::silent(server)
        } else {
            Piped::with_a_user(server).await
        };
        let mut params = json!({"name": "pay", "arguments": {"bill": 7}});
        if is_modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            });
        }
        let asks = |params: &Value| request(1, "tools/call", &params.to_string());
        let mut asked = client.ask(&asks(&params)).await;
        let mut says = |asked: &Value| {
            if !is_modern {
                let says = json!({"jsonrpc": "2.0", "id": asked["id"], "result": yes});
                return says.to_string();
            }
            params["requestState"] = asked["result"]["requestState"].clone();
            let keys = asked["result"]["inputRequests"].as_object().unwrap();
            let answers = keys.keys().map(|key| (key.clone(), yes.clone()));
            params["inputResponses"] = Value::Object(answers.collect());
            asks(&params)
        };
        drop(tools.replace(tools![pay_more; state = Arc::clone(&paid)]));
        asked = client.ask(&says(&asked)).await;
        assert_eq!(paid.load(Ordering::Relaxed), 0, "{asked}");
        let is_question = asked["method"] == "elicitation/create"
            || asked["result"]["resultType"] == "input_required";
        assert!(is_question, "{asked}");
        let answer = client.ask(&says(&asked)).await;
        assert_eq!(text(&answer), (false, r#"7 and a fee, as in {"bill":7}"#));
        assert_eq!(paid.load(Ordering::Relaxed), 100);
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_gets_an_error_in_words() {
    let paid = Arc::new(AtomicU32::new(0));
    let mut client = Piped::new(server(&paid)).await;
    let answer = client.ask(&call(1, "7")).await;
    let (is_error, words) = text(&answer);
    assert!(is_error && words.contains("approv"), "{answer}");
    assert_eq!(paid.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_answer_before_the_question_is_no_yes() {
    let paid = Arc::new(AtomicU32::new(0));
    let mut client = Piped::silent(server(&paid));
    let params = json!({
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
        "name": "pay",
        "arguments": {"bill": 7},
        "inputResponses": {"toolwright/approval": {"action": "accept", "content": {"approve": true}}},
    });
    let answer = client
        .ask(&request(1, "tools/call", &params.to_string()))
        .await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    assert_eq!(paid.load(Ordering::Relaxed), 0);
}
