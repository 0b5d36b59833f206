use super::first_repeat;

#[test]
fn equal_values_are_found_in_any_spelling() {
    let equal = [
        ("1", "1"),
        ("1", "1.0"),
        ("1", "10e-1"),
        ("-0", "0.0e7"),
        ("100", "1E+2"),
        ("9007199254740993", "9007199254740993.0"),
        ("null", "null"),
        ("true", " true\n"),
        (r#""a""#, r#""\u0061""#),
        (r#""a\/b""#, r#""a/b""#),
        (r#""\u00E9""#, "\"é\""),
        (r#""\ud83d\ude00""#, "\"😀\""),
        (r#""\"""#, r#""\u0022""#),
        (r#""\\""#, r#""\u005c""#),
        (r#""\n\u0001""#, r#""\u000A\u0001""#),
        ("[]", "[ ]"),
        ("{}", "{\n}"),
        ("[1,2]", "[ 1.0 , 2e0 ]"),
        (r#"{"a":1,"b":2}"#, r#"{ "b" : 2.0, "a" : 1 }"#),
        (
            r#"{"a":{"x":1,"y":[2]},"b":{}}"#,
            r#"{"b":{},"\u0061":{"y":[2.0],"x":1}}"#,
        ),
        (
            r#"{"b":1,"a":2,"":3,"\"":4}"#,
            r#"{"\u0022":4,"":3,"a":2,"b":1}"#,
        ),
        (
            r#"[[[{"b":"\\","a":[]}]]]"#,
            r#"[[[{"a":[],"b":"\u005C"}]]]"#,
        ),
        (r#"{"a":"}","b":"]"}"#, r#"{"b":"]","a":"}"}"#),
    ];
    for (a, b) in equal {
        assert_eq!(first_repeat([a, b].into_iter()), Some(1), "{a} {b}");
        assert_eq!(first_repeat([b, "7", a].into_iter()), Some(2), "{b} {a}");
    }
}

#[test]
fn different_values_are_different() {
    let table: [&[&str]; 11] = [
        &[],
        &["1"],
        &[
            "1",
            "true",
            "\"1\"",
            "\"true\"",
            "null",
            "\"null\"",
            "[1]",
            "{\"1\":1}",
        ],
        &[
            "0", "false", "\"\"", "[]", "{}", "null", "[[]]", "[{}]", "[null]", "[0]",
        ],
        &["9007199254740992", "9007199254740993", "9007199254740993.5"],
        &["1e400", "1e401", "-1e400", "\"1e400\""],
        &["[1,2]", "[2,1]", "[12]", "[1,2,0]", "[[1,2]]", "[[1],2]"],
        &[
            r#""a""#,
            r#""A""#,
            r#""\\u0061""#,
            r#"" a""#,
            r#""a ""#,
            "\"á\"",
            "\"a\u{301}\"",
        ],
        &[
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            r#"{"b":1}"#,
            r#"{"a":1,"b":1}"#,
            r#"{"a":"1"}"#,
        ],
        &[
            r#"["a","b"]"#,
            r#"["a\",\"b"]"#,
            r#"["a,b"]"#,
            r#"[["a"],"b"]"#,
        ],
        &[
            r#"{"a":{"b":1}}"#,
            r#"{"a":{},"b":1}"#,
            r#"{"a":"{\"b\":1}"}"#,
            r#"{"b":{"a":1}}"#,
        ],
    ];
    for elements in table {
        assert_eq!(first_repeat(elements.iter().copied()), None, "{elements:?}");
    }
}

#[test]
fn the_first_repeat_is_told() {
    let table = [
        (vec!["1", "2", "1", "2"], 2),
        (vec!["1", "1", "1"], 1),
        (vec!["[1]", "1", "[2]", "2", "[1.0]"], 4),
    ];
    for (elements, index) in table {
        assert_eq!(
            first_repeat(elements.iter().copied()),
            Some(index),
            "{elements:?}"
        );
    }
}

#[test]
fn many_and_deep_elements_take_no_long_time() {
    let many: Vec<String> = (0..100_000)
        .map(|i| format!("{{\"b\":{i},\"a\":[]}}"))
        .collect();
    assert_eq!(first_repeat(many.iter().map(String::as_str)), None);
    let deep = format!("{}{}", "{\"b\":0,\"a\":".repeat(127), "[]");
    let deep = format!("{deep}{}", "}".repeat(127));
    let other = deep.replacen("[]", "{}", 1);
    assert_eq!(
        first_repeat([deep.as_str(), &other, &deep].into_iter()),
        Some(2)
    );
}

#[test]
fn text_that_is_no_json_ends_too() {
    for text in [
        "", "[", "{", "[1", "{\"a\"", "{\"a\":", "\"", "\"\\", "]", "}", "[}", "{]", "[:",
    ] {
        first_repeat([text, text].into_iter());
    }
}
