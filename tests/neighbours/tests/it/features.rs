//! What these features change, so that a run without them is noticed.

#[test]
fn the_features_are_on() {
    let value: serde_json::Value = serde_json::from_str(r#"{"b": 0.10, "a": 1}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"b":0.10,"a":1}"#);
}
