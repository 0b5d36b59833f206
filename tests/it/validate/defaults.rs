//! Defaults of a run-time schema, which handlers read where a model left the keys out.

use crate::json::CheckText;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, ToolCall, ToolError, ToolResult, Toolset, schema::SchemaDoc,
    toolset::DynToolBuilder,
};

fn echo(schema: &str) -> DynToolBuilder {
    DynTool::builder()
        .name("t")
        .description("Echoes.")
        .handler_sync(|raw: Box<RawValue>, _| Ok::<_, ToolError>(raw.get().to_owned()))
        .parameters(SchemaDoc::parse(schema).unwrap())
}

fn run(tool: DynToolBuilder, arguments: &str, cx: &Context) -> ToolResult {
    let tools = Toolset::new([tool.build().unwrap()]).unwrap();
    tools.call_blocking(&ToolCall::new("1", "t", arguments), cx)
}

/// The text that the handler reads.
#[track_caller]
fn read_in(schema: &str, arguments: &str, cx: &Context) -> String {
    let result = run(echo(schema), arguments, cx);
    match result.value() {
        Some(Value::String(text)) => text,
        other => panic!("{schema}, {arguments}: {other:?}, {:?}", result.outcome),
    }
}

#[track_caller]
fn read(schema: &str, arguments: &str) -> String {
    read_in(schema, arguments, &Context::new())
}

#[test]
fn what_was_sent_stays_and_defaults_are_added_behind_it() {
    let schema = r#"{"type": "object", "properties": {
        "a": {"type": "integer", "default": 5},
        "b": {"type": "string", "default": "x{\"y"},
        "c": {"default": {"deep": [1.5, 2]}},
        "must": {"type": "integer", "default": 7}
    }, "required": ["must"]}"#;
    let (a, b, c) = (r#""a":5"#, r#""b":"x{\"y""#, r#""c":{"deep":[1.5,2]}"#);
    for (sent, expected) in [
        (r#"{"must": 1}"#, format!(r#"{{"must": 1,{a},{b},{c}}}"#)),
        // Digits, escapes, spaces and the order of keys are those that were sent.
        (
            r#" { "c" : 1.0 , "b": "\u00e9", "must": 1E2 , "other": {} } "#,
            format!(r#"{{ "c" : 1.0 , "b": "\u00e9", "must": 1E2 , "other": {{}} ,{a}}}"#),
        ),
        (
            r#"{"a": 0, "b": "", "c": null, "must": 0}"#,
            r#"{"a": 0, "b": "", "c": null, "must": 0}"#.to_owned(),
        ),
    ] {
        assert_eq!(read(schema, sent), expected);
    }
    // A key that must be there has none.
    assert!(!run(echo(schema), "{}", &Context::new()).is_success());
    let optional =
        r#"{"type": "object", "properties": {"a": {"default": 1}, "b": {"default": 2}}}"#;
    for empty in ["", "null", "{}"] {
        assert_eq!(read(optional, empty), r#"{"a":1,"b":2}"#, "{empty}");
    }
    assert_eq!(read(optional, "{ }"), r#"{ "a":1,"b":2}"#);
}

#[test]
fn defaults_are_found_inside_of_values() {
    let item = r#"{"type": "object", "properties": {"qty": {"type": "integer", "default": 1}}}"#;
    let q = r#""qty":1"#;
    for (schema, sent, expected) in [
        // An object, and a list of them; one that is left out itself is not made.
        (
            format!(r#"{{"properties": {{"v": {item}, "w": {item}}}}}"#),
            r#"{"v": {}}"#,
            format!(r#"{{"v": {{{q}}}}}"#),
        ),
        (
            format!(r#"{{"properties": {{"v": {{"type": "array", "items": {item}}}}}}}"#),
            r#"{"v": [{}, {"qty": 2}, {"a": [{}]}]}"#,
            format!(r#"{{"v": [{{{q}}}, {{"qty": 2}}, {{"a": [{{}}],{q}}}]}}"#),
        ),
        (
            format!(r#"{{"properties": {{"v": {{"prefixItems": [true, {item}]}}}}}}"#),
            r#"{"v": [{}, {}]}"#,
            format!(r#"{{"v": [{{}}, {{{q}}}]}}"#),
        ),
        // A map, and keys that nobody declared.
        (
            format!(r#"{{"additionalProperties": {item}}}"#),
            r#"{"x": {}, "y": {}}"#,
            format!(r#"{{"x": {{{q}}}, "y": {{{q}}}}}"#),
        ),
        (
            format!(
                r#"{{"properties": {{"z": {{"default": 0}}}}, "additionalProperties": {item}}}"#
            ),
            r#"{"x": {}}"#,
            format!(r#"{{"x": {{{q}}},"z":0}}"#),
        ),
        // Behind references, also such that lead back.
        (
            format!(
                r##"{{"properties": {{"v": {{"$ref": "#/$defs/i"}}}}, "$defs": {{"i": {item}}}}}"##
            ),
            r#"{"v": {}}"#,
            format!(r#"{{"v": {{{q}}}}}"#),
        ),
        (
            r##"{"type": "object", "properties": {"n": {"default": 0}, "next": {"$ref": "#"}}}"##
                .to_owned(),
            r#"{"next": {"next": {"n": 1}}}"#,
            r#"{"next": {"next": {"n": 1},"n":0},"n":0}"#.to_owned(),
        ),
    ] {
        assert_eq!(read(&schema, sent), expected, "{schema}");
    }
}

#[test]
fn a_default_may_stand_behind_a_reference() {
    let schema = r##"{"type": "object", "properties": {
        "a": {"$ref": "#/$defs/size"},
        "b": {"$ref": "#/$defs/size", "default": 4}
    }, "$defs": {"size": {"type": "integer", "default": 3}}}"##;
    assert_eq!(read(schema, "{}"), r#"{"a":3,"b":4}"#);
}

#[test]
fn the_alternative_that_the_value_is_of_has_the_defaults() {
    let union = |keyword| {
        format!(
            r#"{{"properties": {{"v": {{"{keyword}": [
                {{"type": "object", "properties": {{"k": {{"const": "a"}}, "x": {{"default": 1}}}}, "required": ["k"]}},
                {{"type": "object", "properties": {{"k": {{"const": "b"}}, "y": {{"default": 2}}}}, "required": ["k"]}},
                {{"type": "null"}}
            ]}}}}}}"#
        )
    };
    for keyword in ["anyOf", "oneOf"] {
        let schema = union(keyword);
        for (sent, expected) in [
            (r#"{"v": {"k": "a"}}"#, r#"{"v": {"k": "a","x":1}}"#),
            (r#"{"v": {"k": "b"}}"#, r#"{"v": {"k": "b","y":2}}"#),
            (r#"{"v": null}"#, r#"{"v": null}"#),
        ] {
            assert_eq!(read(&schema, sent), expected, "{keyword}");
        }
    }
    let conditional = r#"{"type": "object", "properties": {"k": {"type": "string"}},
        "if": {"properties": {"k": {"const": "a"}, "no": {"default": 0}}},
        "then": {"properties": {"x": {"default": 1}}},
        "else": {"properties": {"y": {"default": 2}}}}"#;
    assert_eq!(read(conditional, r#"{"k": "a"}"#), r#"{"k": "a","x":1}"#);
    assert_eq!(read(conditional, r#"{"k": "b"}"#), r#"{"k": "b","y":2}"#);
    // All parts of an object, each key once. Other parts are not asked about what is added.
    let parts = r#"{"type": "object", "properties": {"k": {}, "x": {"default": 1}}, "maxProperties": 1, "allOf": [
        {"properties": {"x": {"default": 1}, "y": {"default": 2}}},
        {"properties": {"k": {}}, "additionalProperties": false}
    ]}"#;
    assert_eq!(read(parts, r#"{"k": 0}"#), r#"{"k": 0,"x":1,"y":2}"#);
    assert_eq!(read(parts, "{}"), r#"{"x":1,"y":2}"#);
    // What says what a value may not be says no defaults.
    let not =
        r#"{"type": "object", "not": {"required": ["z"], "properties": {"x": {"default": 1}}}}"#;
    assert_eq!(read(not, r#"{"k": 0}"#), r#"{"k": 0}"#);
}

#[test]
fn null_that_the_schema_refuses_is_left_out() {
    let schema = r#"{"type": "object", "properties": {
        "a": {"type": "integer", "default": 5},
        "b": {"type": ["integer", "null"], "default": 6},
        "c": {"type": "array", "items": {"type": "object", "properties": {"d": {"type": "integer", "default": 7}}}}
    }}"#;
    let sent = r#"{"a": null, "b": null, "c": [{"d": null}]}"#;
    let seen: Value = serde_json::from_str(&read_in(schema, sent, &Context::new())).unwrap();
    assert_eq!(seen, json!({"a": 5, "b": null, "c": [{"d": 7}]}));
}

#[test]
fn repaired_arguments_get_defaults_too() {
    let schema =
        r#"{"type": "object", "properties": {"n": {"type": "integer"}, "a": {"default": 5}}}"#;
    let result = run(echo(schema), r#"{"n": "3"}"#, &Context::new());
    assert_eq!(result.value(), Some(json!(r#"{"n": 3,"a":5}"#)));
    // A default is not a repair.
    assert_eq!(result.repairs.len(), 1);
    assert_eq!(run(echo(schema), "{}", &Context::new()).repairs.len(), 0);
}

#[derive(Deserialize)]
struct Typed {
    n: u8,
}

#[test]
fn a_type_and_a_check_read_them() {
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "default": 5}}}"#;
    let tool = |most: u8| {
        let tool = DynTool::builder().name("t").description("Does.");
        let tool = tool.handler_sync(|typed: Typed, _| Ok::<_, ToolError>(typed.n));
        let tool = tool.parameters(SchemaDoc::parse(schema).unwrap());
        tool.validate(move |typed: &Typed| {
            if typed.n <= most {
                Ok(())
            } else {
                Err(vec!["too many".to_owned()])
            }
        })
    };
    assert_eq!(run(tool(5), "{}", &Context::new()).value(), Some(json!(5)));
    assert!(!run(tool(4), "{}", &Context::new()).is_success());
    let tools = Toolset::new([tool(5).build().unwrap()]).unwrap();
    assert!(tools.check_text("t", "{}").is_ok());
}

#[test]
fn a_default_that_its_schema_refuses_is_not_added() {
    for (schema, sent) in [
        (
            r#"{"properties": {"n": {"type": "integer", "maximum": 3, "default": 5}}}"#,
            "{}",
        ),
        (
            r#"{"properties": {"v": {"items": {"properties": {"a/b": {"type": "string", "default": []}}}}}}"#,
            r#"{"v": [{}]}"#,
        ),
        (
            r##"{"properties": {"v": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"enum": [1], "default": 2}}}"##,
            "{}",
        ),
    ] {
        assert_eq!(read(schema, sent), sent, "{schema}");
    }
    // `null` is often written for none.
    let none =
        r#"{"properties": {"s": {"type": "string", "default": null}, "t": {"default": null}}}"#;
    assert_eq!(read(none, "{}"), r#"{"t":null}"#);
    // A key that must be there needs none.
    let must = r#"{"properties": {"n": {"type": "integer", "default": "x"}}, "required": ["n"]}"#;
    assert_eq!(read(must, r#"{"n": 1}"#), r#"{"n": 1}"#);
}

#[test]
fn a_host_may_leave_defaults_to_who_reads_the_arguments() {
    let schema = r#"{"properties": {"n": {"type": "integer", "default": "x"}}}"#;
    let result = run(
        echo(schema).fill_defaults(false),
        r#"{"m": 1}"#,
        &Context::new(),
    );
    assert_eq!(result.value(), Some(json!(r#"{"m": 1}"#)));
}

#[test]
fn many_large_defaults_are_refused_before_they_are_made() {
    let large = "x".repeat(100_000);
    let schema = format!(
        r#"{{"properties": {{"v": {{"items": {{"properties": {{"s": {{"default": "{large}"}}}}}}}}}}}}"#
    );
    let sent = |count: usize| format!(r#"{{"v": [{}]}}"#, vec!["{}"; count].join(","));
    let result = run(echo(&schema), &sent(3), &Context::new());
    assert!(result.is_success());
    let result = run(echo(&schema), &sent(100_000), &Context::new());
    let error = result.outcome.unwrap_err();
    assert!(error.to_string().contains("too long to check"), "{error}");
}
