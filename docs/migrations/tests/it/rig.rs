//! From `rig`.

mod after;
mod before;
mod beside;

use rig_core::tool::{ErasedTool, ToolContext};
use serde_json::{Value, json};
use toolwright::Toolset;

use crate::check::{self, Answer};
use crate::shop::Db;

fn tools() -> Toolset {
    after::toolset(Db::default())
}

fn place_order() -> before::PlaceOrder {
    before::PlaceOrder { db: Db::default() }
}

#[test]
fn schemas() {
    let before = [
        place_order().parameters(),
        before::DeliveryDays.parameters(),
    ];
    check::orders("rig", &before[0], &check::schema(&tools(), "place_order"));
    check::schemas(
        "rig_function",
        &before[1],
        &check::schema(&tools(), "delivery_days"),
    );
}

async fn execute(tool: &impl ErasedTool, arguments: &str) -> Answer {
    let result = tool
        .execute(arguments.to_owned(), &mut ToolContext::new())
        .await;
    let text = result.output().render();
    if result.is_success() {
        Ok(text)
    } else {
        Err(text)
    }
}

#[tokio::test]
async fn answers() {
    let (tool, tools) = (place_order(), tools());
    check::answers(
        "rig",
        &[],
        async |arguments| execute(&tool, arguments).await,
        async |arguments| check::ask(&tools, "place_order", arguments).await,
    )
    .await;
    for arguments in ["{}", r#"{"country":"GB"}"#, r#"{"country":null}"#] {
        let before = execute(&before::DeliveryDays, arguments).await;
        assert_eq!(before, check::ask(&tools, "delivery_days", arguments).await);
    }
}

#[tokio::test]
async fn an_agent_of_rig_has_tools_of_toolwright() {
    let tools = tools();
    let bridged = beside::for_rig(&tools).unwrap();
    assert_eq!(bridged.len(), 2);
    assert_eq!(
        bridged[0].definition().parameters,
        check::schema(&tools, "place_order")
    );
    let lamp = json!({"sku": "lamp", "customer": {"name": "Ada"}});
    let answer = bridged[0].execute(lamp).await.unwrap();
    let answer: Value = serde_json::from_str(answer.as_text().unwrap()).unwrap();
    assert_eq!(
        answer,
        json!({"number": 1, "total": 4900, "bill_to": "Ada"})
    );
    let error = bridged[0]
        .execute(json!({"sku": "lamp"}))
        .await
        .unwrap_err();
    assert_eq!(
        error.model_output().as_text(),
        Some(r#"customer: missing, expected an object, such as {"name":"text"}"#)
    );
}
