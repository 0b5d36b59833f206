//! `#[serde(alias = "…")]`: read wherever serde reads it, also where the text is walked first.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::{Context, Schema, ToolCall, tool, tools};

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "by")]
enum Payer {
    #[serde(alias = "client")]
    Customer {
        #[serde(alias = "no")]
        number: u8,
    },
}

#[derive(Serialize, Deserialize, Schema)]
enum Speed {
    #[serde(alias = "lazy")]
    Slow,
    #[serde(alias = "by")]
    Until { day: u8 },
}

#[derive(Serialize, Deserialize, Schema)]
struct Order {
    #[serde(alias = "qty")]
    #[schema(range(1..=9))]
    count: u8,
    #[serde(flatten)]
    payer: Payer,
    speed: Vec<Speed>,
}

/// Places it.
#[tool]
fn place(order: Order) -> Order {
    order
}

#[test]
fn an_alias_is_read_at_any_depth() {
    let order = json!({
        "qty": 3, "by": "client", "no": 7, "speed": ["lazy", {"by": {"day": 2}}, "Slow"],
    });
    let call = ToolCall::new("call_1", "place", json!({ "order": order }).to_string());
    let result = tools![place].call_blocking(&call, &Context::new().strict());
    assert_eq!(
        result.value(),
        Some(json!({
            "count": 3, "by": "Customer", "number": 7, "speed": ["Slow", {"Until": {"day": 2}}, "Slow"],
        })),
        "{result:?}"
    );
}

#[test]
fn an_alias_is_the_same_key_and_has_its_bounds() {
    for arguments in [
        r#"{"order": {"qty": 10, "by": "client", "no": 7, "speed": []}}"#,
        r#"{"order": {"qty": 3, "count": 3, "by": "client", "no": 7, "speed": []}}"#,
    ] {
        let call = ToolCall::new("call_1", "place", arguments);
        let result = tools![place].call_blocking(&call, &Context::new());
        assert_eq!(result.value(), None, "{arguments}");
    }
}
