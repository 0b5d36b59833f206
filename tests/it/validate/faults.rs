//! The words for each keyword.

use super::{told, toolset};
use crate::json::CheckText;

/// Compares `schema of the one property v, value of v => told`, all rows that differ at once.
macro_rules! rows {
    ($($schema:literal, $value:literal => $told:literal;)*) => {
        for (schema, value, expected) in [$(($schema, $value, $told)),*] {
            let whole = format!(
                r#"{{"type": "object", "properties": {{"v": {schema}}}, "$defs": {DEFS}}}"#
            );
            let got = told(&whole, &format!(r#"{{"v": {value}}}"#));
            if got != expected {
                eprintln!("{schema}, {value}\n  told     {got}\n  expected {expected}");
                WRONG.with(|wrong| wrong.set(wrong.get() + 1));
            }
        }
        assert_eq!(WRONG.with(std::cell::Cell::take), 0, "rows differ");
    };
}

thread_local!(static WRONG: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });

const DEFS: &str = r##"{
    "tree": {"type": "object", "properties": {
        "value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}
    }, "required": ["value"], "additionalProperties": false},
    "circle": {"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
        "required": ["kind", "radius"], "additionalProperties": false},
    "square": {"type": "object", "properties": {"kind": {"enum": ["square"]}, "side": {"type": "number"}},
        "required": ["kind", "side"], "additionalProperties": false},
    "short": {"$anchor": "brief", "type": "string", "maxLength": 3}
}"##;

#[test]
fn values() {
    rows! {
        r#"{"type": "integer"}"#, "1.0" => "";
        r#"{"type": "integer"}"#, "1.5" => "v: expected an integer, got 1.5";
        r#"{"type": "integer"}"#, r#""three""# => r#"v: expected an integer, got "three""#;
        r#"{"type": "integer", "minimum": 1, "maximum": 99}"#, r#""three""# =>
            r#"v: expected an integer from 1 to 99, got "three""#;
        r#"{"type": "integer", "minimum": 1, "maximum": 99}"#, "0" => "v: expected an integer from 1 to 99, got 0";
        r#"{"type": "integer", "minimum": 1}"#, "0" => "v: expected an integer of 1 or more, got 0";
        r#"{"type": "integer", "maximum": 1}"#, "2" => "v: expected an integer of at most 1, got 2";
        // The widths of Rust's types go without saying, as in a type of our own.
        r#"{"type": "integer", "minimum": 0, "maximum": 18446744073709551615}"#, r#""x""# =>
            r#"v: expected an integer of 0 or more, got "x""#;
        r#"{"type": "integer", "minimum": 0, "maximum": 18446744073709551615}"#, "-1" =>
            "v: expected an integer from 0 to 18446744073709551615, got -1";
        r#"{"type": "integer", "minimum": 0, "maximum": 18446744073709551615}"#, "18446744073709551615.0" => "";
        r#"{"type": "integer", "minimum": 0, "maximum": 18446744073709551615}"#, "1e50" =>
            "v: expected an integer from 0 to 18446744073709551615, got 1e50";
        r#"{"type": "integer", "minimum": 3, "maximum": 18446744073709551615}"#, r#""x""# =>
            r#"v: expected an integer from 3 to 18446744073709551615, got "x""#;
        r#"{"type": "integer", "minimum": 3, "maximum": 18446744073709551615}"#, "2" =>
            "v: expected an integer from 3 to 18446744073709551615, got 2";
        r#"{"type": "integer", "exclusiveMinimum": 18446744073709551615}"#, "18446744073709551615" =>
            "v: expected an integer of 18446744073709551616 or more, got 18446744073709551615";
        r#"{"type": "integer", "exclusiveMinimum": 18446744073709551615}"#, "1e50" => "";
        r#"{"type": "integer", "exclusiveMinimum": -1, "exclusiveMaximum": 1}"#, "1" =>
            "v: expected the integer 0, got 1";
        r#"{"type": "integer", "exclusiveMinimum": -2, "exclusiveMaximum": 0}"#, "0" =>
            "v: expected the integer -1, got 0";
        r#"{"type": "integer", "minimum": -2147483648, "maximum": 2147483647, "multipleOf": 5}"#, "3" =>
            "v: expected an integer, a multiple of 5, got 3";
        // Of a value of another type one part of the schema speaks.
        r#"{"type": "integer", "minimum": 1e50}"#, r#""x""# => r#"v: expected an integer, got "x""#;
        r#"{"type": "array", "items": {"type": "integer"}, "contains": {"const": 1}}"#, "{}" =>
            "v: expected an array, got {}";
        r#"{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}"#, "0.5" =>
            "v: expected a number above 0 below 0.5, got 0.5";
        r#"{"type": "number", "minimum": 0.5}"#, "0.1" => "v: expected a number of 0.5 or more, got 0.1";
        r#"{"minimum": 3}"#, "1" => "v: expected a number of 3 or more, got 1";
        r#"{"minimum": 3}"#, r#""1""# => "";
        r#"{"type": "integer", "multipleOf": 5}"#, "7" => "v: expected an integer, a multiple of 5, got 7";
        r#"{"type": "number", "multipleOf": 0.1}"#, "0.3" => "";
        r#"{"type": "boolean"}"#, r#""yes""# => r#"v: expected true or false, got "yes""#;
        r#"{"type": "null"}"#, "0" => "v: expected null, got 0";
        r#"{"type": "string"}"#, "null" => "v: expected a string, got null";
        r#"{"type": ["string", "null"]}"#, "1" => "v: expected a string or null, got 1";
        r#"{"type": ["null", "integer"], "minimum": 1}"#, "0" => "v: expected an integer of 1 or more or null, got 0";
        r#"{"type": "string", "minLength": 2, "maxLength": 3}"#, r#""é""# =>
            r#"v: expected a string of 2 to 3 characters, got "é""#;
        r#"{"type": "string", "minLength": 1}"#, r#""""# => r#"v: expected a string of 1 or more characters, got """#;
        r#"{"type": "string", "maxLength": 0}"#, r#""a""# => r#"v: expected a string of 0 characters, got "a""#;
        r#"{"type": "string", "pattern": "^[a-z]+$"}"#, r#""A""# =>
            r#"v: expected a string that matches `^[a-z]+$`, got "A""#;
        r#"{"type": "string", "format": "date"}"#, r#""2024-13-01""# =>
            r#"v: expected a string in the format `date`, got "2024-13-01""#;
        r#"{"type": "string", "format": "email"}"#, r#""a@b.c""# => "";
        r#"{"type": "string", "format": "uuid"}"#, r#""a""# => r#"v: expected a string in the format `uuid`, got "a""#;
        r#"{"type": "string", "format": "of-our-own"}"#, r#""a""# => "";
        r#"{"type": "string", "format": "idn-email"}"#, r#""öl@ölmühle.example""# => "";
        r#"{"type": "string", "format": "idn-email"}"#, r#""a b@c""# =>
            r#"v: expected a string in the format `idn-email`, got "a b@c""#;
        r#"{"type": "string", "format": "idn-hostname"}"#, r#""例え。jp""# => "";
        r#"{"type": "string", "format": "idn-hostname"}"#, r#""ö_l.example""# =>
            r#"v: expected a string in the format `idn-hostname`, got "ö_l.example""#;
        r#"{"enum": ["red", "green", null]}"#, r#""gren""# =>
            r#"v: expected one of "red", "green", got "gren"; did you mean `green`?"#;
        r#"{"type": "string", "enum": ["red", "green"]}"#, r#""blue""# =>
            r#"v: expected one of "red", "green", got "blue""#;
        r#"{"type": "string", "enum": ["red", "green"]}"#, "1" => r#"v: expected one of "red", "green", got 1"#;
        r#"{"enum": [1, 2]}"#, "3" => "v: expected one of 1, 2, got 3";
        r#"{"const": "a"}"#, r#""b""# => r#"v: expected "a", got "b""#;
        r#"{"const": {"a": 1}}"#, "2" => r#"v: expected {"a":1}, got 2"#;
        r#"{"not": {"type": "integer"}}"#, "2" => "v: expected anything but an integer, got 2";
        r#"{"not": {}}"#, "2" => "v: expected anything but a JSON value, got 2";
        "false", "2" => "v: may not be given";
        "true", "2" => "";
    }
}

#[test]
fn arrays() {
    rows! {
        r#"{"type": "array", "items": {"type": "integer"}}"#, r#"[1, "a", 2, null]"# =>
            "v[1]: expected an integer, got \"a\"\nv[3]: expected an integer, got null";
        r#"{"type": "array", "items": {"type": "integer"}}"#, "{}" => "v: expected an array, got {}";
        r#"{"type": "array", "minItems": 1}"#, "[]" => "v: expected an array of 1 or more elements, got []";
        r#"{"type": "array", "maxItems": 1, "items": {"type": "integer"}}"#, r#"[1, "a"]"# =>
            "v: expected an array of at most 1 element, got [1, \"a\"]\nv[1]: expected an integer, got \"a\"";
        r#"{"type": "array", "uniqueItems": true}"#, "[1, 1.0]" =>
            "v[1]: 1.0 is there already; no two elements may be equal";
        r#"{"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}"#, r#"["a", "b", 1]"# =>
            "v: expected an array of at most 2 elements, got [\"a\", \"b\", 1]\nv[1]: expected an integer, got \"b\"";
        r#"{"contains": {"type": "string"}}"#, "[1, 2]" =>
            "v: expected an array with at least 1 of: a string, got [1, 2]";
        r#"{"contains": {"type": "string"}, "minContains": 2, "maxContains": 2}"#, r#"["a"]"# =>
            "v: expected an array with 2 of: a string, got [\"a\"]";
        r#"{"contains": {"type": "string"}, "maxContains": 1}"#, r#"["a", "b"]"# =>
            "v: expected an array with 1 of: a string, got [\"a\", \"b\"]";
        r#"{"prefixItems": [true], "unevaluatedItems": false}"#, "[1, 2]" =>
            "v[1]: no value is allowed here, got 2";
        r#"{"prefixItems": [true], "uniqueItems": true}"#, "[1, 2, 1]" =>
            "v[2]: 1 is there already; no two elements may be equal";
    }
}

#[test]
fn objects() {
    rows! {
        r#"{"type": "object"}"#, "[]" => "v: expected an object, got []";
        r#"{"type": "object", "properties": {"qty": {"type": "integer"}}, "required": ["qty"], "additionalProperties": false}"#,
            r#"{"qyt": 1}"# => "v.qyt: unknown key; did you mean `qty`?\nv.qty: missing, expected an integer";
        r#"{"properties": {"a": {}}, "additionalProperties": false}"#, r#"{"b": 1, "c": 2}"# =>
            "v.b: unknown key; the only one is `a`\nv.c: unknown key; the only one is `a`";
        r#"{"type": "object", "additionalProperties": false}"#, r#"{"b": 1}"# =>
            "v.b: unknown key; there is none to give";
        r#"{"additionalProperties": {"type": "integer"}}"#, r#"{"a b": "x"}"# =>
            r#"v["a b"]: expected an integer, got "x""#;
        r#"{"required": ["a"]}"#, "{}" => "v.a: missing";
        r#"{"properties": {"a": {"type": "string", "maxLength": 3}}, "required": ["a"]}"#, "{}" =>
            "v.a: missing, expected a string of at most 3 characters";
        r##"{"properties": {"a": {"$ref": "#/$defs/short"}}, "required": ["a"]}"##, "{}" =>
            "v.a: missing, expected a string of at most 3 characters";
        r#"{"patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": false}"#, r#"{"x-a": "1", "y": 1}"# =>
            "v.x-a: expected an integer, got \"1\"\nv.y: expected a key that is a string that matches `^x-`, got \"y\"";
        r#"{"propertyNames": {"pattern": "^[a-z]+$"}}"#, r#"{"A": 1}"# =>
            r#"v.A: expected a key that is a string that matches `^[a-z]+$`, got "A""#;
        r#"{"propertyNames": {"enum": ["red", "green"]}}"#, r#"{"gren": 1}"# =>
            r#"v.gren: expected a key that is one of "red", "green", got "gren"; did you mean `green`?"#;
        r#"{"minProperties": 1}"#, "{}" => "v: expected an object of 1 or more entries, got {}";
        r#"{"maxProperties": 1}"#, r#"{"a": 1, "b": 2}"# =>
            r#"v: expected an object of at most 1 entry, got {"a": 1, "b": 2}"#;
        r#"{"properties": {"card": {}, "cvc": {"type": "string"}}, "dependentRequired": {"card": ["cvc"]}}"#, r#"{"card": 1}"# =>
            "v.cvc: missing";
        r#"{"dependentSchemas": {"card": {"required": ["cvc"]}}}"#, r#"{"card": 1}"# => "v.cvc: missing";
        r#"{"dependencies": {"card": ["cvc"], "a": {"required": ["b"]}}}"#, r#"{"card": 1, "a": 1}"# =>
            "v.cvc: missing\nv.b: missing";
        r#"{"properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}], "unevaluatedProperties": false}"#,
            r#"{"a": 1, "b": 2, "c": 3}"# => "v.c: may not be given";
        r#"{"properties": {"a": {}}, "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": {"type": "integer"}}"#,
            r#"{"a": "b", "xa": 1, "b": 2, "c": true}"# =>
            "v.xa: expected null, got 1\nv.c: expected an integer, got true";
        r#"{"type": "object", "patternProperties": {"^x": {}}}"#, "0" => "v: expected an object, got 0";
        r#"{"patternProperties": {"^x": {"minimum": 2}, "y$": {"maximum": 1}}}"#, r#"{"xy": 3, "x": 1}"# =>
            "v.xy: expected a number of at most 1, got 3\nv.x: expected a number of 2 or more, got 1";
    }
}

#[test]
fn combinations() {
    rows! {
        r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#, "true" => "v: expected a string or an integer, such as \"text\", got true";
        r#"{"anyOf": [{"type": "string", "maxLength": 2}, {"type": "null"}]}"#, r#""abc""# =>
            r#"v: expected a string of at most 2 characters or null, got "abc""#;
        r##"{"anyOf": [{"$ref": "#/$defs/circle"}, {"type": "null"}]}"##, r#"{"kind": "circle"}"# =>
            "v.radius: missing, expected a number";
        r##"{"oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}]}"##, r#"{"kind": "square", "side": "1"}"# =>
            r#"v.side: expected a number, got "1""#;
        r##"{"oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}]}"##, r#"{"kind": "cirle", "side": 1}"# =>
            r#"v.kind: expected one of "circle", "square", got "cirle"; did you mean `circle`?"#;
        r##"{"oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}]}"##, r#"{"side": 1}"# =>
            r#"v.kind: missing, expected one of "circle", "square""#;
        r##"{"oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}]}"##, "1" => "v: expected an object, got 1";
        r#"{"oneOf": [{"type": "integer"}, {"minimum": 2}]}"#, "3" =>
            "v: fits 2 of the forms, where one is wanted: an integer or a number of 2 or more, got 3";
        r#"{"anyOf": [{"required": ["a", "b"]}, {"required": ["c"]}]}"#, "{}" => "v.c: missing";
        r#"{"allOf": [{"minimum": 2}, {"multipleOf": 2}]}"#, "1" =>
            "v: expected a number of 2 or more, got 1\nv: expected a number, a multiple of 2, got 1";
        r#"{"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}"#, r#"{"a": 1}"# =>
            "v.b: missing";
        r#"{"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}"#, r#"{"a": 2}"# =>
            "v.c: missing";
        r##"{"$ref": "#/$defs/tree"}"##, r#"{"value": 1, "children": [{"value": 2, "children": [{"valu": 1}]}]}"# =>
            "v.children[0].children[0].valu: unknown key; did you mean `value`?\nv.children[0].children[0].value: missing, expected an integer";
        r##"{"$ref": "#brief", "minLength": 2}"##, r#""a""# => r#"v: expected a string of 2 or more characters, got "a""#;
        r##"{"$ref": "#/$defs/short", "description": "x"}"##, r#""abcd""# =>
            r#"v: expected a string of at most 3 characters, got "abcd""#;
    }
}

#[test]
fn the_whole_may_be_referred_to_where_no_object_stands() {
    let schema = r##"{"properties": {"v": {"$ref": "#"}, "n": {"type": "integer"}}}"##;
    assert_eq!(told(schema, r#"{"v": 1}"#), "");
    assert_eq!(
        told(schema, r#"{"v": {"n": "a"}}"#),
        "v.n: expected an integer, got \"a\""
    );
}

#[test]
fn references_beside_each_other_all_hold() {
    let schema = r##"{"properties": {"v": {"$ref": "#/$defs/a", "$dynamicRef": "#/$defs/b"}},
        "$defs": {"a": {"minimum": 2}, "b": {"multipleOf": 2}}}"##;
    assert_eq!(told(schema, r#"{"v": 4}"#), "");
    for value in ["0", "3"] {
        assert_ne!(told(schema, &format!(r#"{{"v": {value}}}"#)), "", "{value}");
    }
}

#[test]
fn a_list_of_values_of_several_types_is_not_narrowed_to_the_one_with_bounds() {
    let schema = r#"{"properties": {"v": {"type": ["string", "integer"], "enum": ["a", 5, 1], "minimum": 3}}}"#;
    assert_eq!(told(schema, r#"{"v": "a"}"#), "");
    assert_eq!(told(schema, r#"{"v": 5}"#), "");
    assert_ne!(told(schema, r#"{"v": 1}"#), "");
}

#[test]
fn a_null_that_is_dropped_for_one_part_is_not_missing_for_another() {
    let schema = r#"{"allOf": [{"properties": {"a": {"type": "integer"}}},
        {"properties": {"a": {"type": ["null", "integer"]}}, "required": ["a"]}]}"#;
    let tools = toolset(schema).unwrap();
    let call = toolwright::ToolCall::new("1", "t", r#"{"a": null}"#);
    let result = tools.call_blocking(&call, &toolwright::Context::new());
    let errors: Vec<_> = result.errors().collect();
    assert_eq!(errors, ["a: expected an integer, got null"]);
}

#[test]
fn arrays_that_contain_arrays_are_followed_as_deep_as_they_are() {
    let schema = r##"{"properties": {"v": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"anyOf": [
        {"type": "integer"}, {"type": "boolean"}, {"type": "array", "contains": {"$ref": "#/$defs/n"}}]}}}"##;
    for depth in [1, 8, 9, 17, 100] {
        let of = |leaf: &str| {
            format!(
                r#"{{"v": {}{leaf}{}}}"#,
                "[".repeat(depth),
                "]".repeat(depth)
            )
        };
        assert_eq!(told(schema, &of("1")), "", "{depth}");
        assert_ne!(told(schema, &of("null")), "", "{depth}");
    }
}

#[test]
fn older_drafts_mean_what_they_meant() {
    let seven = r##"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"v": {"items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
            "w": {"$ref": "#/definitions/w", "description": "beside"}},
        "definitions": {"w": {"type": "integer"}}}"##;
    assert_eq!(
        told(seven, r#"{"v": [1, "a"], "w": "x"}"#),
        "v[0]: expected a string, got 1\nv[1]: expected an integer, got \"a\"\nw: expected an integer, got \"x\""
    );
    let nineteen = r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "type": "object",
        "properties": {"next": {"$recursiveRef": "#"}, "n": {"type": "integer"}}, "unevaluatedProperties": false}"##;
    assert_eq!(told(nineteen, r#"{"next": {"n": 1}}"#), "");
    assert_eq!(
        told(nineteen, r#"{"next": {"n": "a"}}"#),
        "next.n: expected an integer, got \"a\""
    );
}

#[test]
fn faults_are_told_in_the_order_of_the_text_at_most_16() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}, "z": {"type": "integer"}},
        "required": ["m"], "additionalProperties": false,
        "allOf": [{"properties": {"z": {"minimum": 5}}}]}"#;
    assert_eq!(
        told(schema, r#"{"z": 1, "q": 1, "a": "x"}"#),
        "z: expected a number of 5 or more, got 1\nq: unknown argument; there are `a`, `z`, `m`\na: expected an integer, got \"x\"\nm: missing"
    );
    let many: Vec<_> = (0..17).map(|n| format!(r#""x{n}": 1"#)).collect();
    let tools = toolset(schema).unwrap();
    let error = tools
        .check_text("t", format!("{{{}}}", many.join(",")))
        .unwrap_err();
    assert_eq!(error.faults().len(), 16);
    assert_eq!(error.messages().last(), Some("and 2 more faults"));
}

#[test]
fn what_is_sent_is_shown_as_it_stands_and_cut() {
    let schema = r#"{"type": "object", "properties": {"v": {"type": "integer"}}}"#;
    assert_eq!(
        told(schema, "  {\"w\": 1, \"v\":\n [1,  \"\\u00e9\"]}"),
        r#"v: expected an integer, got [1,  "\u00e9"]"#
    );
    let long = "é".repeat(1000);
    let cut = "é".repeat(59);
    assert_eq!(
        told(schema, &format!(r#"{{"v": "{long}"}}"#)),
        format!("v: expected an integer, got \"{cut}… (942 more characters)")
    );
}

/// Schemas that arrive at run time, values, and what decimal arithmetic says of them.
const DECIMALS: [(&str, &str, bool); 14] = [
    (r#"{"type": "integer"}"#, "1e-400", false),
    (r#"{"type": "integer"}"#, "9007199254740993.5", false),
    (r#"{"type": "integer"}"#, "9007199254740993.0", true),
    (
        r#"{"type": "integer"}"#,
        "-1000000000000000000000000000000000000000000000000",
        true,
    ),
    (r#"{"type": "integer", "minimum": 1}"#, "1e60", true),
    (r#"{"type": "integer", "minimum": 1}"#, "-1e60", false),
    (r#"{"type": "integer", "maximum": 1}"#, "1e60", false),
    (r#"{"type": "integer", "multipleOf": 7}"#, "7e60", true),
    (r#"{"type": "integer", "multipleOf": 7}"#, "8e60", false),
    (r#"{"multipleOf": 3}"#, "99999999999999999999", true),
    (r#"{"exclusiveMinimum": 0}"#, "1e-400", true),
    (r#"{"enum": [0.1]}"#, "0.1000000000000000000001", false),
    (r#"{"const": 100}"#, "1e2", true),
    (
        r#"{"uniqueItems": true}"#,
        "[18446744073709551616, 18446744073709551617]",
        true,
    ),
];

#[test]
fn numbers_are_judged_by_their_decimal_texts() {
    let wrong = DECIMALS.into_iter().filter(|(schema, value, is_right)| {
        let schema = format!(r#"{{"type": "object", "properties": {{"v": {schema}}}}}"#);
        told(&schema, &format!(r#"{{"v": {value}}}"#)).is_empty() != *is_right
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A definition says integers of more than 64 bits as the nearest `f64`, and what it says is checked.
#[test]
fn integers_of_more_than_64_bits_in_a_schema_are_what_is_published() {
    let of = |schema: &str| format!(r#"{{"type": "object", "properties": {{"v": {schema}}}}}"#);
    let maximum = of(r#"{"maximum": 18446744073709551616}"#);
    assert_eq!(told(&maximum, r#"{"v": 18446744073709552000}"#), "");
    assert_eq!(
        told(&maximum, r#"{"v": 18446744073709552001}"#),
        "v: expected a number of at most 1.8446744073709552e19, got 18446744073709552001"
    );
}

#[derive(serde::Deserialize, toolwright::Schema)]
struct Grid {
    #[schema(multiple_of = 0.1)]
    tenths: f64,
    #[schema(multiple_of = 0.03)]
    threes: f64,
    #[schema(multiple_of = 0.7)]
    sevens: f32,
}

#[test]
fn multiples_of_compiled_decimals_are_those_of_decimal_arithmetic() {
    let tool = super::DynTool::builder()
        .name("t")
        .description("Does.")
        .typed_sync(|grid: Grid, _| {
            Ok::<_, super::ToolError>((grid.tenths, grid.threes, grid.sevens))
        })
        .build()
        .unwrap();
    let tools = super::Toolset::new([tool]).unwrap();
    for n in 0..2_000_u32 {
        for (key, is_multiple) in [
            ("tenths", n % 10 == 0),
            ("threes", n % 3 == 0),
            ("sevens", n % 70 == 0),
        ] {
            let number = format!("{}.{:02}", n / 100, n % 100);
            let value = |name: &str| if name == key { &*number } else { "0" };
            let arguments = format!(
                r#"{{"tenths": {}, "threes": {}, "sevens": {}}}"#,
                value("tenths"),
                value("threes"),
                value("sevens")
            );
            let is_taken = tools.check_text("t", &arguments).is_ok();
            assert_eq!(is_taken, is_multiple, "{arguments}");
        }
    }
}
