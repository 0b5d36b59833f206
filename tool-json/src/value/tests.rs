use super::Value;
use crate::number::Integer;

fn parse(text: &str) -> Value<'_> {
    Value::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn texts_keep_order_equal_keys_and_spelling() {
    let table = [
        (
            r#" { "b" : 1.50 , "a" : -0 , "b" : [ ] } "#,
            r#"{"b":1.50,"a":-0,"b":[]}"#,
        ),
        (
            r#"["\u0041\n\ud83d\ude00", 1E+2, null, true, false]"#,
            "[\"A\\n😀\",1E+2,null,true,false]",
        ),
        (
            "123456789012345678901234567890",
            "123456789012345678901234567890",
        ),
        (r#"{"a\"": {}}"#, r#"{"a\"":{}}"#),
    ];
    for (text, written) in table {
        assert_eq!(parse(text).to_json(), written);
        assert_eq!(parse(text).into_owned().to_json(), written);
    }
    assert_eq!(
        parse(r#"{"a":[1,{}],"b":[],"c":{"d":"e"}}"#).to_lines(),
        "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": [],\n  \"c\": {\n    \"d\": \"e\"\n  }\n}"
    );
    for text in ["", "[", "nul", "{\"a\":}", "1 2", "\"\\ud800\"", "NaN"] {
        assert!(Value::parse(text).is_err(), "{text}");
    }
}

#[test]
fn values_are_equal_by_what_they_mean() {
    let equal = [
        ("1", "1.0"),
        ("-0", "0e7"),
        (r#""a\/b""#, r#""a/b""#),
        (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"\u0061":1}"#),
    ];
    for (a, b) in equal {
        assert_eq!(parse(a), parse(b));
        assert_eq!(identity(a), identity(b));
    }
    let different = [
        ("9007199254740992", "9007199254740993"),
        ("1", "true"),
        ("1", "\"1\""),
        ("[1,2]", "[2,1]"),
        (r#"{"a":1}"#, r#"{"a":1,"a":1}"#),
        (r#"{"a":1}"#, r#"{"b":1}"#),
        ("[]", "{}"),
    ];
    for (a, b) in different {
        assert_ne!(parse(a), parse(b));
        assert_ne!(identity(a), identity(b));
    }
}

fn identity(text: &str) -> String {
    let mut out = String::new();
    parse(text).write_identity(&mut out);
    out
}

#[test]
fn sorted_texts_keep_how_numbers_are_spelled() {
    let mut out = String::new();
    parse(r#"{"b":[{"z":1.0,"y":1e2}],"a":"\u0062","a":1}"#).write_sorted(&mut out);
    assert_eq!(out, r#"{"a":"b","a":1,"b":[{"y":1e2,"z":1.0}]}"#);
}

#[test]
fn numbers_are_asked_for_by_value() {
    assert_eq!(parse("1e2").as_u128(), Some(100));
    assert_eq!(parse("-1.0").as_i128(), Some(-1));
    assert_eq!(parse("-1").as_u128(), None);
    assert_eq!(parse("1.5").as_integer(), None);
    assert_eq!(parse("1e40").as_integer(), Some(Integer::Huge));
    assert_eq!(parse("1.5").as_f64(), Some(1.5));
    assert_eq!(Value::from(1.0).to_json(), "1.0");
    assert_eq!(Value::from(-5_i64), parse("-5"));
    assert_eq!(Value::from(u128::MAX).as_u128(), Some(u128::MAX));
}

#[test]
fn serde_json_hands_out_its_raw_text() -> Result<(), serde_json::Error> {
    let text = r#"{"z":1.50,"a":[123456789012345678901234567890,1e2],"z":null}"#;
    let value: Value<'static> = serde_json::from_str(text)?;
    assert_eq!(value.to_json(), text);
    let value: Value<'static> =
        serde_json::from_value(serde_json::json!({"a": [1, -2, 0.5, "x", true, null]}))?;
    assert_eq!(value.to_json(), r#"{"a":[1,-2,0.5,"x",true,null]}"#);
    assert_eq!(
        serde_json::to_string(&parse(r#"{"b":[1,-2,0.5,1e2],"a":null}"#))?,
        r#"{"b":[1,-2,0.5,100.0],"a":null}"#
    );
    Ok(())
}

#[test]
fn pointers_lead_to_values() {
    let value = parse(r#"{"a/b":{"m~n":[1,{"":2}]},"":3,"a":{"0":4}}"#);
    let at = |pointer| value.pointer(pointer).map(Value::to_json);
    assert_eq!(at("/a~1b/m~0n/0").as_deref(), Some("1"));
    assert_eq!(at("/a~1b/m~0n/1/").as_deref(), Some("2"));
    assert_eq!(at("/").as_deref(), Some("3"));
    assert_eq!(at("/a/0").as_deref(), Some("4"));
    assert_eq!(value.pointer(""), Some(&value));
    for pointer in [
        "a",
        "/b",
        "/a~1b/m~0n/2",
        "/a~1b/m~0n/00",
        "/a~1b/m~0n/-",
        "/a~1b/m~0n/+0",
        "/a/0/0",
    ] {
        assert_eq!(at(pointer), None, "{pointer}");
    }
}
