//! From `llm-tool`.

mod after;
mod before;

use crate::check;
use crate::shop::Db;

#[test]
fn schemas() {
    let registry = before::registry();
    let before = &registry.definition("place_order").unwrap().parameter_schema;
    let before = serde_json::to_value(before).unwrap();
    check::orders(
        "llm_tool",
        &before,
        &check::schema(&after::toolset(Db::default()), "place_order"),
    );
}

#[tokio::test]
async fn answers() {
    let (registry, cx) = (before::registry(), before::context(Db::default()));
    let tools = after::toolset(Db::default());
    check::answers(
        "llm_tool",
        &[check::NULLS],
        async |arguments| match registry.dispatch_str("place_order", arguments, &cx).await {
            Ok(output) => Ok(output.into_content()),
            Err(error) => Err(error.to_string()),
        },
        async |arguments| check::ask(&tools, "place_order", arguments).await,
    )
    .await;
}
