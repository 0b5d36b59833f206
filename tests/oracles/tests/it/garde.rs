//! Arguments that `garde` validates.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, dead_code)]

use std::collections::BTreeMap;

use garde::Validate;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::{
    Context, Schema, ToolCall,
    args::{FaultCode, Valid},
    call::ErrorKind,
    schema::SchemaDoc,
    tool, tools,
};

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema, Validate)]
#[serde(rename_all = "camelCase")]
struct Order {
    #[garde(length(min = 1), dive)]
    lines: Vec<Line>,
    #[garde(dive)]
    ship_to: Option<Address>,
    #[garde(skip)]
    #[serde(default)]
    gift: bool,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema, Validate)]
struct Line {
    #[garde(length(min = 3), ascii)]
    sku: String,
    #[garde(range(min = 1, max = 99))]
    quantity: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema, Validate)]
#[serde(rename_all = "camelCase")]
struct Address {
    #[garde(length(min = 5))]
    post_code: String,
}

/// Orders.
#[tool]
fn order(order: Valid<Order>, note: Option<Valid<Note>>, times: u8) -> usize {
    order.lines.len() + usize::from(times) + note.map_or(0, |note| note.into_inner().0.len())
}

#[derive(Debug, Deserialize, Schema, Validate)]
struct Note(#[garde(length(max = 5))] String);

fn said(tools: &toolwright::Toolset, name: &str, arguments: &str) -> Vec<String> {
    let call = ToolCall::new("1", name, arguments);
    let result = tools.call_blocking(&call, &Context::new());
    match result.outcome {
        Ok(_) => vec![],
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidArgs);
            error.messages().map(str::to_owned).collect()
        }
    }
}

#[test]
fn what_garde_admits_runs() {
    let arguments =
        r#"{"order": {"lines": [{"sku": "abc", "quantity": 1}]}, "times": 1, "note": "abc"}"#;
    let result =
        tools![order].call_blocking(&ToolCall::new("1", "order", arguments), &Context::new());
    assert_eq!(result.value(), Some(json!(5)));
}

#[test]
fn it_looks_like_what_it_holds() {
    let [one, other] = [SchemaDoc::of::<Valid<Order>>(), SchemaDoc::of::<Order>()];
    assert_eq!(one.as_json(), other.as_json());
    let [one, other] = [
        SchemaDoc::of_output::<Valid<Order>>(),
        SchemaDoc::of_output::<Order>(),
    ];
    assert_eq!(one.as_json(), other.as_json());
}

#[test]
fn every_error_of_every_report_is_a_fault_at_its_path() {
    let arguments = r#"{
        "order": {"lines": [{"sku": "abc", "quantity": 100}, {"sku": "é", "quantity": 0}], "shipTo": {"postCode": "1"}},
        "note": "much too long",
        "times": 1
    }"#;
    assert_eq!(
        said(&tools![order], "order", arguments),
        [
            "order.lines[0].quantity: 100 is refused: greater than 99",
            "order.lines[1].quantity: 0 is refused: lower than 1",
            "order.lines[1].sku: \"é\" is refused: not ascii",
            "order.lines[1].sku: \"é\" is refused: length is lower than 3",
            "order.shipTo.postCode: \"1\" is refused: length is lower than 5",
            "note: \"much too long\" is refused: length is greater than 5",
        ]
    );
    // Beside what the decoder finds in another argument; garde sees whole values alone.
    let arguments = r#"{"order": {"lines": []}, "note": 5, "times": 300}"#;
    assert_eq!(
        said(&tools![order], "order", arguments),
        [
            "order.lines: [] is refused: length is lower than 1",
            "note: expected a string or null, got 5",
            "times: expected an integer from 0 to 255, got 300",
        ]
    );
}

#[test]
fn faults_are_data_too() {
    let arguments = r#"{"order": {"lines": [{"sku": "abc", "quantity": 0}]}, "times": 1}"#;
    let call = ToolCall::new("1", "order", arguments);
    let error = tools![order]
        .call_blocking(&call, &Context::new())
        .outcome
        .unwrap_err();
    let [fault] = error.faults() else {
        panic!("{error}");
    };
    assert_eq!(fault.path, "order.lines[0].quantity");
    assert_eq!(fault.code, FaultCode::Bound);
    assert_eq!(fault.message, "0 is refused: lower than 1");
}

#[test]
fn a_value_that_was_repaired_is_validated() {
    let arguments = r#"{"order": {"lines": [{"sku": "abc", "quantity": "0"}]}, "times": 1}"#;
    assert_eq!(
        said(&tools![order], "order", arguments),
        ["order.lines[0].quantity: 0 is refused: lower than 1"]
    );
    let arguments = r#"{"order": {"lines": [{"sku": "abc", "quantity": "1"}]}, "times": 1}"#;
    assert_eq!(said(&tools![order], "order", arguments), [""; 0]);
}

#[test]
fn no_more_than_sixteen_faults_are_worded() {
    let lines = vec![r#"{"sku": "abc", "quantity": 0}"#; 10_000].join(",");
    let arguments = format!(r#"{{"order": {{"lines": [{lines}]}}, "times": 1}}"#);
    let said = said(&tools![order], "order", &arguments);
    assert_eq!(said.len(), 17);
    assert_eq!(said.last().unwrap(), "and 9984 more faults");
}

#[derive(Debug, Deserialize, Schema, Validate)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Circle {
        #[garde(range(min = 1))]
        radius: u8,
    },
    Square(#[garde(range(min = 1))] u8),
    Pair(#[garde(range(min = 1))] u8, #[garde(range(min = 1))] u8),
    Named(#[garde(dive)] Line),
}

#[derive(Debug, Deserialize, Schema, Validate)]
#[serde(tag = "kind", content = "value")]
enum Adjacent {
    Circle {
        #[garde(range(min = 1))]
        radius: u8,
    },
}

#[derive(Debug, Deserialize, Schema, Validate)]
#[serde(tag = "kind")]
enum Internal {
    Circle {
        #[garde(range(min = 1))]
        radius: u8,
    },
    Line(#[garde(dive)] Line),
}

#[derive(Debug, Deserialize, Schema, Validate)]
#[garde(transparent)]
struct Count(#[garde(range(min = 1))] u8);

#[derive(Debug, Deserialize, Schema, Validate)]
struct Rest {
    #[garde(dive)]
    by_name: BTreeMap<String, Count>,
    #[garde(range(min = 1))]
    #[serde(rename = "n")]
    number: u8,
    #[garde(range(min = 1))]
    #[serde(default)]
    left_out: u8,
    #[garde(length(max = 3))]
    #[schema(secret)]
    password: Option<String>,
}

/// Draws.
#[tool]
fn draw(
    shapes: Vec<Valid<Shape>>,
    adjacent: Option<Valid<Adjacent>>,
    internal: Option<Valid<Internal>>,
) {
    let _ = (shapes, adjacent, internal);
}

/// Rests.
#[tool]
fn rest(rest: Valid<Rest>) {
    let _ = rest;
}

#[test]
fn paths_go_through_variants() {
    let table = [
        (
            r#"{"shapes": [{"square": 1}, {"circle": {"radius": 0}}]}"#,
            "shapes[1].circle.radius: 0 is refused: lower than 1",
        ),
        (
            r#"{"shapes": [{"square": 0}]}"#,
            "shapes[0].square: 0 is refused: lower than 1",
        ),
        (
            r#"{"shapes": [{"pair": [1, 0]}]}"#,
            "shapes[0].pair[1]: 0 is refused: lower than 1",
        ),
        (
            r#"{"shapes": [{"named": {"sku": "abc", "quantity": 0}}]}"#,
            "shapes[0].named.quantity: 0 is refused: lower than 1",
        ),
        (
            r#"{"shapes": [], "adjacent": {"kind": "Circle", "value": {"radius": 0}}}"#,
            "adjacent.value.radius: 0 is refused: lower than 1",
        ),
        (
            r#"{"shapes": [], "internal": {"kind": "Circle", "radius": 0}}"#,
            "internal.radius: 0 is refused: lower than 1",
        ),
        (
            r#"{"shapes": [], "internal": {"kind": "Line", "sku": "abc", "quantity": 0}}"#,
            "internal.quantity: 0 is refused: lower than 1",
        ),
    ];
    for (arguments, fault) in table {
        assert_eq!(said(&tools![draw], "draw", arguments), [fault]);
    }
}

#[test]
fn beside_a_secret_no_refused_value_and_no_key_that_is_not_found_is_shown() {
    let arguments = r#"{"rest": {"by_name": {"a b": 0}, "n": 0, "password": "hunter2"}}"#;
    assert_eq!(
        said(&tools![rest], "rest", arguments),
        [
            "rest.by_name[\"a b\"]: a number (not shown) is refused: lower than 1",
            "rest.left_out: the value is refused: lower than 1",
            // It is unknown which key that is: it may be the secret.
            "rest[\"…\"]: the value is refused",
            "rest.password: a string (not shown) is refused",
        ]
    );
}

#[derive(Debug, Deserialize, Schema)]
struct Cart {
    owner: String,
    orders: Vec<Valid<Order>>,
    #[serde(flatten)]
    gift: Valid<Gift>,
    job: Option<Job>,
}

#[derive(Debug, Deserialize, Schema, Validate)]
struct Gift {
    #[garde(length(min = 1))]
    to_whom: String,
}

#[derive(Debug, Deserialize, Schema)]
#[serde(tag = "kind")]
enum Job {
    Buy { order: Valid<Order> },
    Wait,
}

/// Does all at once.
#[tool]
fn checkout(#[arg(flatten)] cart: Cart) {
    let _ = cart;
}

#[test]
fn it_stands_anywhere_inside_an_argument() {
    let order = |quantity| json!({"lines": [{"sku": "abc", "quantity": quantity}]});
    let cart = |quantity, to_whom| json!({"owner": "a", "orders": [order(1), order(quantity)], "to_whom": to_whom});
    let said = |arguments: serde_json::Value| {
        self::said(&tools![checkout], "checkout", &arguments.to_string())
    };
    assert_eq!(said(cart(1, "b")), [""; 0]);
    assert_eq!(
        said(cart(0, "b")),
        ["orders[1].lines[0].quantity: 0 is refused: lower than 1"]
    );
    assert_eq!(
        said(cart(1, "")),
        ["to_whom: \"\" is refused: length is lower than 1"]
    );
    let mut arguments = cart(1, "b");
    arguments["job"] = json!({"kind": "Buy", "order": order(0)});
    assert_eq!(
        said(arguments),
        ["job.order.lines[0].quantity: 0 is refused: lower than 1"]
    );
}

#[test]
fn a_value_can_be_made_in_rust() {
    let line = |quantity| Line {
        sku: "abc".into(),
        quantity,
    };
    assert_eq!(Valid::new(line(1)).unwrap().quantity, 1);
    let faults = Valid::new(line(0)).unwrap_err();
    let said: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["quantity: lower than 1"]);
    // And by another deserializer, which has the words alone.
    let error = serde_json::from_str::<Valid<Line>>(r#"{"sku": "", "quantity": 0}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("quantity: lower than 1; sku: length is lower than 3"),
        "{error}"
    );
    // Nothing of it is left for the next error of ours.
    let arguments = r#"{"order": {"lines": [{"sku": 1, "quantity": 1}]}, "times": 1}"#;
    assert_eq!(
        self::said(&tools![order], "order", arguments),
        ["order.lines[0].sku: expected a string, got 1"]
    );
}
