//! From `swiftide`.

mod after;
mod before;

use swiftide::chat_completion::{Tool, ToolCall, ToolOutput};

use crate::check::{self, Answer};
use crate::shop::Db;

#[test]
fn schemas() {
    let tool = before::PlaceOrder { db: Db::default() };
    let before = tool.tool_spec().parameters_schema.unwrap().to_value();
    check::schemas(
        "swiftide",
        &before,
        &check::schema(&after::toolset(Db::default())),
    );
}

/// What its agent adds to the conversation.
async fn invoke(tool: &impl Tool, arguments: &str) -> Answer {
    let mut call = ToolCall::builder();
    let call = call
        .id("call_1")
        .name("place_order")
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
    let (tool, tools) = (
        before::PlaceOrder { db: Db::default() },
        after::toolset(Db::default()),
    );
    check::answers(
        "swiftide",
        async |arguments| invoke(&tool, arguments).await,
        async |arguments| check::ask(&tools, arguments).await,
    )
    .await;
}
