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
