//! From `swiftide`.

mod after;
mod before;
mod beside;

use serde_json::Value;
use swiftide::chat_completion::{Tool, ToolCall, ToolOutput};
use toolwright::Toolset;

use crate::check::{self, Answer};
use crate::shop::Db;

fn tools() -> Toolset {
    after::toolset(Db::default())
}

fn place_order() -> before::PlaceOrder {
    before::PlaceOrder { db: Db::default() }
}

fn parameters(tool: &impl Tool) -> Value {
    tool.tool_spec().parameters_schema.unwrap().to_value()
}

#[test]
fn schemas() {
    let before = [
        parameters(&place_order()),
        parameters(&before::delivery_days()),
    ];
    check::orders(
        "swiftide",
        &before[0],
        &check::schema(&tools(), "place_order"),
    );
    check::schemas(
        "swiftide_function",
        &before[1],
        &check::schema(&tools(), "delivery_days"),
    );
}

/// The text that its agent adds to the conversation.
async fn invoke(tool: &impl Tool, arguments: &str) -> Answer {
    let mut call = ToolCall::builder();
    let call = call
        .id("call_1")
        .name(tool.name())
        .args(arguments.to_owned())
        .build()
        .unwrap();
    match tool.invoke(&(), &call).await {
        Ok(ToolOutput::Text(text)) => Ok(text),
        Ok(other) => Err(other.to_string()),
        Err(error) => Err(ToolOutput::fail(error.to_string()).to_string()),
    }
}

#[tokio::test]
async fn answers() {
    let (tool, tools) = (place_order(), tools());
    check::answers(
        "swiftide",
        &[check::NULLS],
        async |arguments| invoke(&tool, arguments).await,
        async |arguments| check::ask(&tools, "place_order", arguments).await,
    )
    .await;
    for arguments in ["{}", r#"{"country":"GB"}"#, r#"{"country":null}"#] {
        let before = invoke(&before::delivery_days(), arguments).await;
        assert_eq!(before, check::ask(&tools, "delivery_days", arguments).await);
    }
}

#[tokio::test]
async fn an_agent_of_swiftide_has_tools_of_toolwright() {
    let tools = tools();
    let bridged = beside::ForSwiftide::all(&tools);
    assert_eq!(bridged.len(), 2);
    assert_eq!(
        parameters(&bridged[0]),
        check::schema(&tools, "place_order")
    );
    let answer = invoke(&bridged[0], r#"{"sku":"lamp","customer":{"name":"Ada"}}"#)
        .await
        .unwrap();
    assert_eq!(answer, r#"{"number":1,"total":4900,"bill_to":"Ada"}"#);
    let error = invoke(&bridged[0], r#"{"sku":"lamp"}"#).await.unwrap_err();
    assert_eq!(
        error,
        r#"Tool call failed: customer: missing, expected an object, such as {"name":"text"}"#
    );
}
