//! Data of errors over MCP: what a server writes, and what our client makes of it.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::mcp::McpServer;
use toolwright::{
    Context, Outcome, Schema, ToolCall, ToolError, Toolset, executor::OutputLimit, tool, tools,
};

use crate::mcp_own::{call, listen_to};
use crate::mcp_server::{Piped, request};

const ERROR: &str = "toolwright/error";

fn declined() -> ToolError {
    let data = json!({"code": "declined", "retry_after_s": 60, "ids": [7]});
    ToolError::failed("the bank declined the card")
        .with_data(data)
        .permanent()
}

/// Pays. What it returns has no schema.
#[tool]
fn pay(cents: u32, #[arg(secret)] pin: Option<u16>) -> Result<Outcome, ToolError> {
    let _ = (cents, pin);
    Err(declined())
}

/// What was paid.
#[derive(Serialize, Schema)]
struct Receipt {
    number: u32,
}

/// Pays, and gives a receipt.
#[tool]
fn pay_with_receipt(cents: u32) -> Result<Receipt, ToolError> {
    let _ = cents;
    Err(declined())
}

/// Fails.
#[tool]
fn fail() -> Result<Outcome, ToolError> {
    Err(ToolError::failed("no"))
}

/// May have paid.
#[tool]
fn lose() -> Result<Outcome, ToolError> {
    Err(ToolError::failed("the line broke").with_outcome_unknown())
}

fn all() -> Toolset {
    tools![pay, pay_with_receipt, fail, lose]
}

async fn called(name: &str, arguments: &str) -> Value {
    let mut client = Piped::new(McpServer::new(all())).await;
    let params = format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
    client.ask(&request(1, "tools/call", &params)).await["result"].take()
}

#[tokio::test]
async fn data_of_an_error_is_structured_content_only_where_no_schema_forbids_it() {
    let expected = json!({
        "kind": "failed", "messages": ["the bank declined the card"], "permanent": true,
        "data": {"code": "declined", "retry_after_s": 60, "ids": [7]},
    });
    for (name, structured) in [("pay", &expected), ("pay_with_receipt", &Value::Null)] {
        let result = called(name, r#"{"cents": 5}"#).await;
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["content"][0]["text"], "the bank declined the card");
        assert_eq!(&result["structuredContent"], structured, "{result}");
        assert_eq!(result["_meta"][ERROR], expected, "{result}");
    }
}

#[tokio::test]
async fn faults_of_arguments_are_data_without_the_values_of_secrets() {
    let result = called("pay", r#"{"cents": "s3cret", "pin": "s3cret"}"#).await;
    let error = &result["structuredContent"];
    assert_eq!(error, &result["_meta"][ERROR]);
    assert_eq!(error["kind"], "invalid_args", "{result}");
    let faults = error["faults"].as_array().unwrap();
    let faults: Vec<_> = faults
        .iter()
        .map(|one| (&one["path"], &one["code"]))
        .collect();
    let wrong = &json!("wrong_type");
    assert_eq!(faults, [(&json!("cents"), wrong), (&json!("pin"), wrong)]);
    assert!(!result.to_string().contains("s3cret"), "{result}");

    let result = called("pay_with_receipt", "{}").await;
    assert_eq!(result["structuredContent"], Value::Null);
    assert_eq!(
        result["_meta"][ERROR]["faults"][0]["path"], "cents",
        "{result}"
    );
}

/// Lines of a log.
#[derive(Serialize, Schema)]
struct Log {
    lines: Vec<String>,
    count: usize,
}

/// Reads the log.
#[tool]
fn read_log() -> Log {
    let lines = vec!["a line of the log".to_owned(); 100];
    Log {
        count: lines.len(),
        lines,
    }
}

/// Reads the log, without a schema.
#[tool]
fn read_any() -> Outcome {
    Outcome::value(read_log())
}

/// Clients hold a result to the tool's output schema, and raise an error of their own for the rest of a value.
#[tokio::test]
async fn a_value_that_was_cut_is_an_error_where_a_schema_forbids_it() {
    let server = McpServer::new(tools![read_log, read_any])
        .executor(|executor| executor.output_limit(OutputLimit::new(1_000, 50)));
    let mut client = Piped::new(server).await;
    let mut read = async |name: &str| {
        let params = format!(r#"{{"name":"{name}","arguments":{{}}}}"#);
        client.ask(&request(1, "tools/call", &params)).await["result"].take()
    };
    let cut = read("read_log").await;
    assert_eq!(cut["isError"], true, "{cut}");
    assert_eq!(cut["structuredContent"], Value::Null, "{cut}");
    let text = cut["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("a line of the log") && text.contains("shortened from"),
        "{text}"
    );
    let any = read("read_any").await;
    assert_eq!(any["isError"], Value::Null, "{any}");
    assert_eq!(any["content"][0]["text"], text);
}

#[tokio::test]
async fn an_error_that_is_only_text_has_no_data() {
    let result = called("fail", "{}").await;
    assert_eq!(
        result,
        json!({"content": [{"type": "text", "text": "no"}], "isError": true})
    );
    let result = called("lose", "{}").await;
    assert_eq!(result["structuredContent"], Value::Null);
    assert_eq!(result["_meta"][ERROR]["outcome_unknown"], true, "{result}");
}

/// By both versions: of 2025-11-25 after `initialize`, and of 2026-07-28.
#[tokio::test]
async fn our_client_reads_the_data_back_into_the_error() {
    let server = listen_to(McpServer::new(all())).await;
    for connector in [server.connector(), server.connector().initialize()] {
        let client = connector.await.unwrap();
        let tools = client.toolset();
        for name in ["pay", "pay_with_receipt"] {
            let error = call(&tools, name, r#"{"cents": 5}"#)
                .await
                .outcome
                .unwrap_err();
            assert_eq!(error.data(), declined().data(), "{name}");
            assert!(
                error.is_permanent() && !error.is_outcome_unknown(),
                "{name}"
            );
            assert_eq!(error.to_string(), "the bank declined the card");
        }
        let error = call(&tools, "lose", "{}").await.outcome.unwrap_err();
        assert!(error.is_outcome_unknown() && !error.is_permanent() && error.data().is_none());
        let error = call(&tools, "fail", "{}").await.outcome.unwrap_err();
        assert!(!error.is_outcome_unknown() && error.data().is_none());

        // The client checks arguments itself, by the schema; it does not know this rule.
        let far = call(&tools, "pay", r#"{"cents": 4294967296}"#).await;
        let here = all()
            .call(
                &ToolCall::new("1", "pay", r#"{"cents": 4294967296}"#),
                &Context::new(),
            )
            .await;
        let (far, here) = (far.outcome.unwrap_err(), here.outcome.unwrap_err());
        assert_eq!(far.faults(), here.faults());
        // A server in front of that one hands them on.
        let front = listen_to(McpServer::new(tools)).await;
        let behind = front.connector().await.unwrap();
        let through = call(&behind.toolset(), "pay", r#"{"cents": 4294967296}"#).await;
        assert_eq!(through.outcome.unwrap_err().faults(), here.faults());
        behind.close().await;
        client.close().await;
    }
}
