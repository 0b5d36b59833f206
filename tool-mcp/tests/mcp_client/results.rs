//! Results of calls: structured content, blocks of all kinds, errors.

use serde_json::json;
use toolwright::call::{Block, ErrorKind};
use toolwright::{Outcome, ToolError};
use toolwright_mcp::{self as mcp, Connector};

use super::call;
use super::habits::resulting;

/// The outcome of a call with this result.
async fn outcome(result: &str, change: fn(Connector) -> Connector) -> Result<Outcome, ToolError> {
    let result = result.replace('\n', "").leak();
    let connector = mcp::connect(resulting(result)).initialize();
    let client = change(connector).await.unwrap();
    call(&client.toolset(), "echo", "{}").await.outcome
}

async fn read(result: &str) -> Result<Outcome, ToolError> {
    outcome(result, |connector| connector).await
}

async fn blocks(result: &str) -> Vec<Block> {
    match read(result).await.unwrap() {
        Outcome::Content(content) => content.blocks().to_vec(),
        other => panic!("{other:?}"),
    }
}

fn text(text: &str) -> Block {
    Block::Text { text: text.into() }
}

#[tokio::test]
async fn structured_content_is_the_value_with_all_its_digits() {
    let n = "123456789012345678901234567890.10";
    let result = format!(
        r#"{{"structuredContent": {{"n": {n}}}, "content": [{{"type": "text", "text": "{{\"n\":{n}}}"}}]}}"#
    );
    let outcome = read(&result).await.unwrap();
    let text = outcome.payload().unwrap().to_json();
    assert_eq!(text, format!("{{\"n\": {n}}}"));
}

#[tokio::test]
async fn what_the_text_says_beside_structured_content_is_kept() {
    let result = r#"{"structuredContent": {"n": 1}, "content": [{"type": "text", "text": "one"}]}"#;
    assert_eq!(blocks(result).await, [text("one"), text(r#"{"n": 1}"#)]);
    for structured in [r#"{"result": "{}"}"#, r#""{}""#, r#"{"result": {}}"#, "{ }"] {
        let result = format!(
            r#"{{"structuredContent": {structured}, "content": [{{"type": "text", "text": "{{}}"}}]}}"#
        );
        let outcome = read(&result).await.unwrap();
        assert!(matches!(outcome, Outcome::Value(_)), "{structured}");
    }
}

#[tokio::test]
async fn every_kind_of_block_is_told() {
    let result = r#"{"content": [
        {"type": "text", "text": "a\nb", "annotations": {"audience": ["user"]}},
        {"type": "image", "data": "aa==", "mimeType": "image/png"},
        {"type": "audio", "data": "bb==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///x", "name": "X", "description": "An x"},
        {"type": "resource_link", "uri": "file:///v", "name": "v"},
        {"type": "resource", "resource": {"uri": "file:///y", "mimeType": "text/plain", "text": "y"}},
        {"type": "resource", "resource": {"uri": "file:///z", "mimeType": "application/pdf", "blob": "AAAA"}},
        {"type": "hologram", "depth": 3}]}"#;
    let resource = |uri: &str, mime_type: Option<&str>| Block::Resource {
        uri: uri.to_owned(),
        mime_type: mime_type.map(str::to_owned),
    };
    let expected = [
        text("a\nb"),
        Block::Image {
            mime_type: "image/png".to_owned(),
            data: "aa==".to_owned(),
        },
        Block::Audio {
            mime_type: "audio/wav".to_owned(),
            data: "bb==".to_owned(),
        },
        text("X: An x"),
        resource("file:///x", None),
        resource("file:///v", None),
        resource("file:///y", Some("text/plain")),
        text("y"),
        text("[about 3 bytes, not shown]"),
        resource("file:///z", Some("application/pdf")),
        Block::Json {
            value: json!({"type": "hologram", "depth": 3}),
        },
    ];
    assert_eq!(blocks(result).await, expected);
}

#[tokio::test]
async fn an_error_of_the_tools_says_what_its_content_says() {
    let failed = r#"{"isError": true, "content": [{"type": "text", "text": "no disk"}]}"#;
    let error = read(failed).await.unwrap_err();
    let said = (error.kind(), error.to_string());
    assert_eq!(said, (ErrorKind::Failed, "no disk".to_owned()));
    let failed = r#"{"isError": true, "structuredContent": {"code": 7}}"#;
    assert_eq!(
        read(failed).await.unwrap_err().to_string(),
        r#"{"code": 7}"#
    );
    let error = read(r#"{"isError": true}"#).await.unwrap_err();
    assert_eq!(error.messages().len(), 1);
}

#[tokio::test]
async fn what_is_no_result_is_told() {
    for result in [
        "1",
        r#"{"content": [], "content": []}"#,
        r#"{"isError": "no"}"#,
    ] {
        let error = read(result).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidReturn, "{result}");
    }
    assert_eq!(read("{}").await.unwrap(), Outcome::value(()));
    for result in [
        r#"{"content": 1}"#,
        r#"{"content": {}}"#,
        r#"{"content": "x"}"#,
    ] {
        assert!(
            outcome(result, Connector::strict).await.is_err(),
            "{result}"
        );
    }
}
