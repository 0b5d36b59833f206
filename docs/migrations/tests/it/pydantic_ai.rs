//! From pydantic-ai.

mod after;

use toolwright::ToolCall;
use toolwright::agent::ModelResponse;
use toolwright::agent::testing::ScriptedModel;

use crate::check;
use crate::python::Printed;
use crate::shop::Db;

#[test]
#[ignore = "tests/outside/migrations.sh runs the Python side"]
fn schemas() {
    let before = Printed::read("pydantic_ai.json").definition;
    let tools = after::toolset(Db::default());
    let after = tools.definitions().next().unwrap();
    assert_eq!(
        (before["name"].as_str(), before["description"].as_str()),
        (Some(&*after.name), Some(&*after.description))
    );
    check::orders(
        "pydantic_ai",
        &before["schema"],
        &check::schema(&tools, "place_order"),
    );
}

#[tokio::test]
#[ignore = "tests/outside/migrations.sh runs the Python side"]
async fn answers() {
    let (before, tools) = (
        Printed::read("pydantic_ai.json"),
        after::toolset(Db::default()),
    );
    check::answers(
        "pydantic_ai",
        &[],
        async |_| before.answer(),
        async |arguments| check::ask(&tools, "place_order", arguments).await,
    )
    .await;
    before.finish();
}

#[tokio::test]
async fn a_run() {
    let call = ToolCall::new(
        "call_1",
        "place_order",
        r#"{"sku":"tea","customer":{"name":"Ada"}}"#,
    );
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([call])),
        Ok(ModelResponse::text("Order 1 costs 3.50.")),
    ]);
    let answer = after::run(model.clone(), Db::default(), "Tea for Ada, please.")
        .await
        .unwrap();
    assert_eq!(answer, "Order 1 costs 3.50.");
    let thread = serde_json::to_string(&model.requests()[1].thread).unwrap();
    assert!(thread.contains("350"), "{thread}");
}
