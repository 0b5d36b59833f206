//! `#[serde(alias = "…")]`: read wherever serde reads it, also where the text is walked first.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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
    let result = tools![place].call_blocking(
        &call,
        &Context::new().with_repairs(toolwright::args::Repairs::None),
    );
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

#[derive(Serialize, Deserialize, Schema)]
struct Inner {
    x: u8,
}

/// Equal names of which one alone is a key that is read, and one alone a key that is written.
#[derive(Serialize, Deserialize, Schema)]
struct Moved {
    #[serde(alias = "count", alias = "qty", alias = "qty")]
    count: u8,
    #[serde(skip_deserializing, alias = "count")]
    total: u8,
    #[serde(skip_deserializing, rename = "of")]
    made: u8,
    #[serde(skip_serializing, rename = "of")]
    number: u8,
    #[serde(flatten)]
    of: Inner,
}

/// Moves it.
#[tool]
fn moved(#[arg(flatten)] moved: Moved) -> Moved {
    Moved {
        made: moved.number + 1,
        ..moved
    }
}

#[test]
fn names_that_are_equal_on_no_side_are_no_mistake() {
    let call = ToolCall::new("call_1", "moved", r#"{"qty": 1, "of": 2, "x": 3}"#);
    let result = tools![moved].call_blocking(&call, &Context::new());
    assert_eq!(
        result.value(),
        Some(json!({ "count": 1, "total": 0, "of": 3, "x": 3 })),
        "{result:?}"
    );
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(open)]
struct Open {
    #[serde(alias = "qty")]
    count: Option<u8>,
}

/// The same, with bounds: its text is walked first.
#[derive(Serialize, Deserialize, Schema)]
#[schema(open)]
struct Bounded {
    #[serde(alias = "qty", default)]
    #[schema(range(0..=255))]
    count: Option<u8>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Flat {
    #[serde(alias = "qty")]
    count: Option<u8>,
    #[serde(flatten)]
    rest: BTreeMap<String, String>,
}

/// Takes it.
#[tool]
fn open(of: Open) -> Open {
    of
}

/// Takes it.
#[tool]
fn bounded(of: Bounded) -> Bounded {
    of
}

/// Takes it.
#[tool]
fn flat(of: Flat) -> Flat {
    of
}

#[test]
fn where_any_key_may_stand_an_alias_is_its_field_as_with_serde() {
    fn own<T: DeserializeOwned + Serialize>(json: &str) -> Option<Value> {
        let value: T = serde_json::from_str(json).ok()?;
        serde_json::to_value(value).ok()
    }
    let tools = tools![open, bounded, flat];
    for json in [
        r#"{"qty": 1}"#,
        r#"{"qty": "1 "}"#,
        r#"{"qty": 1, "more": "x"}"#,
        r#"{"count": 1, "qty": 1}"#,
        r#"{"count": 1, "qty": "x"}"#,
        r#"{"qty": "x", "count": null}"#,
        r#"{"count": 1, "Qty": "x"}"#,
    ] {
        let expected = [own::<Open>(json), own::<Bounded>(json), own::<Flat>(json)];
        let found = ["open", "bounded", "flat"].map(|name| {
            let call = ToolCall::new("call_1", name, format!(r#"{{"of": {json}}}"#));
            let result = tools.call_blocking(
                &call,
                &Context::new().with_repairs(toolwright::args::Repairs::None),
            );
            result.value()
        });
        assert_eq!(found, expected, "{json}");
    }
}
