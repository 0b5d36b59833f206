//! What these features change, so that a run without them is noticed.

#[test]
fn the_features_are_on() {
    let value: serde_json::Value = serde_json::from_str(r#"{"b": 0.10, "a": 1}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"b":0.10,"a":1}"#);
}

/// An argument that is any JSON keeps the digits of its numbers.
#[test]
fn a_value_keeps_its_digits() {
    use serde_json::{Map, Number, Value};
    use toolwright::{Context, ToolCall, tool, tools};

    /// Writes what it is given.
    #[tool]
    fn write(
        value: Value,
        values: Vec<Value>,
        map: Map<String, Value>,
        number: Option<Number>,
        float: f64,
    ) -> String {
        let number = number.map_or_else(String::new, |number| number.to_string());
        let (values, map) = (Value::from(values), Value::from(map));
        format!("{value} {values} {map} {number} {float}")
    }

    let arguments = r#"{
        "value": {"a": 0.10, "b": [1.00000000000000000001, -0.0, 1e+2]},
        "values": [0.30, 123456789012345678901234567890],
        "map": {"c": 2.50},
        "number": 3.140,
        "float": 0.50
    }"#;
    let call = ToolCall::new("1", "write", arguments);
    let result = tools![write].call_blocking(&call, &Context::new());
    let written = concat!(
        r#"{"a":0.10,"b":[1.00000000000000000001,-0.0,1e+2]} "#,
        r#"[0.30,123456789012345678901234567890] {"c":2.50} 3.140 0.5"#,
    );
    assert_eq!(result.value(), Some(written.into()));
}

/// A number of an untagged enum is read by its spelling. `serde_json` itself reads no number there with the feature
/// `arbitrary_precision`.
// The fields are printed.
#[allow(dead_code)]
#[test]
fn an_untagged_number_is_read_by_its_spelling() {
    use serde::Deserialize;
    use serde_json::Value;
    use toolwright::{Context, Schema, ToolCall, tool, tools};

    #[derive(Debug, Deserialize, Schema)]
    #[serde(untagged)]
    enum Number {
        I(i64),
        F(f64),
    }
    #[derive(Debug, Deserialize, Schema)]
    #[serde(untagged, deny_unknown_fields)]
    enum Point {
        Pixel { x: i32, y: i32 },
        Place { x: f64, y: f64 },
    }
    #[derive(Debug, Deserialize, Schema)]
    #[serde(untagged)]
    enum Nested {
        Few(Vec<Number>),
        One(Point),
        Any(Value),
    }
    #[derive(Debug, Deserialize, Schema)]
    #[serde(tag = "kind")]
    enum Tagged {
        Price { amount: Number, by: Option<f32> },
    }
    #[derive(Debug, Deserialize, Schema)]
    struct Flattened {
        name: String,
        #[serde(flatten)]
        point: Point,
    }
    /// Takes all of them.
    #[tool]
    fn take(
        numbers: Vec<Number>,
        points: Vec<Point>,
        nested: Vec<Nested>,
        tagged: Vec<Tagged>,
        flattened: Flattened,
    ) -> String {
        format!("{numbers:?} {points:?} {nested:?} {tagged:?} {flattened:?}")
    }

    let arguments = r#"{
        "numbers": [1, 1.0, -0, 1e2, 1.5, 123456789012345678, 1.0000000000000000001],
        "points": [{"x": 1, "y": 2}, {"x": 1.0, "y": 2}, {"x": 1, "y": 2e0}],
        "nested": [[1, 1.0], {"x": 1.0, "y": 0}, "1.0"],
        "tagged": [{"kind": "Price", "amount": 1.0, "by": 2}, {"amount": 1, "by": 0.5, "kind": "Price"}],
        "flattened": {"x": 1.0, "name": "a", "y": 2}
    }"#;
    let call = ToolCall::new("1", "take", arguments);
    let result = tools![take].call_blocking(&call, &Context::new());
    let read = concat!(
        "[I(1), F(1.0), F(-0.0), F(100.0), F(1.5), I(123456789012345678), F(1.0)] ",
        "[Pixel { x: 1, y: 2 }, Place { x: 1.0, y: 2.0 }, Place { x: 1.0, y: 2.0 }] ",
        r#"[Few([I(1), F(1.0)]), One(Place { x: 1.0, y: 0.0 }), Any(String("1.0"))] "#,
        "[Price { amount: F(1.0), by: Some(2.0) }, Price { amount: I(1), by: Some(0.5) }] ",
        r#"Flattened { name: "a", point: Place { x: 1.0, y: 2.0 } }"#,
    );
    assert_eq!(
        result.content(toolwright::Encoder::auto()).into_owned(),
        read
    );
}
