//! One wrong leaf costs one operation.

use toolwright::json::Value;
use toolwright_openapi::{ImportError, NoticeKind, OpenApi};

use crate::{document, operation};

const GOOD: &str = r#""/good": {"get": {"operationId": "good", "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}]}}"#;

/// Documents with one good operation and one that is wrong: what is wrong, the entry of `paths`, and the place of the notice.
const BROKEN: [(&str, &str, &str); 21] = [
    (
        "an operation is a string",
        r#""/bad": {"get": "x"}"#,
        "/paths/~1bad/get",
    ),
    (
        "an operation is null",
        r#""/bad": {"get": null}"#,
        "/paths/~1bad/get",
    ),
    ("a path item is an array", r#""/bad": []"#, "/paths/~1bad"),
    (
        "a path item refers to nothing",
        r##""/bad": {"$ref": "#/components/pathItems/None"}"##,
        "/paths/~1bad",
    ),
    (
        "parameters are an object",
        r#""/bad": {"get": {"parameters": {"a": 1}}}"#,
        "/paths/~1bad/get/parameters",
    ),
    (
        "a parameter is a string",
        r#""/bad": {"get": {"parameters": ["x"]}}"#,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a parameter has no name",
        r#""/bad": {"get": {"parameters": [{"in": "query"}]}}"#,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a parameter has a number as name",
        r#""/bad": {"get": {"parameters": [{"name": 7, "in": "query"}]}}"#,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a parameter has no place",
        r#""/bad": {"get": {"parameters": [{"name": "a"}]}}"#,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a parameter is in the body, as of 2.0",
        r#""/bad": {"post": {"parameters": [{"name": "a", "in": "body"}]}}"#,
        "/paths/~1bad/post/parameters/0",
    ),
    (
        "a parameter refers to nothing",
        r##""/bad": {"get": {"parameters": [{"$ref": "#/components/parameters/None"}]}}"##,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a parameter refers to itself",
        r##""/bad": {"get": {"parameters": [{"$ref": "#/paths/~1bad/get/parameters/0"}]}}"##,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a reference is a number",
        r#""/bad": {"get": {"parameters": [{"$ref": 7}]}}"#,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a style is not known",
        r#""/bad": {"get": {"parameters": [{"name": "a", "in": "query", "style": "curly"}]}}"#,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a whole query is JSON",
        r#""/bad": {"get": {"parameters": [{"name": "a", "in": "querystring", "content": {"application/json": {"schema": {"type": "object"}}}}]}}"#,
        "/paths/~1bad/get/parameters/0",
    ),
    (
        "a body refers to nothing",
        r##""/bad": {"post": {"requestBody": {"$ref": "#/components/requestBodies/None"}}}"##,
        "/paths/~1bad/post/requestBody",
    ),
    (
        "a body has no content",
        r#""/bad": {"post": {"requestBody": {"required": true}}}"#,
        "/paths/~1bad/post/requestBody",
    ),
    (
        "a body is XML alone",
        r#""/bad": {"post": {"requestBody": {"content": {"application/xml": {"schema": {}}}}}}"#,
        "/paths/~1bad/post/requestBody",
    ),
    (
        "the method is none of a tool",
        r#""/bad": {"trace": {}}"#,
        "/paths/~1bad/trace",
    ),
    (
        "the path has no slash",
        r#""bad": {"get": {}}"#,
        "/paths/bad/get",
    ),
    (
        "the server is another host",
        r#""/bad": {"get": {"servers": [{"url": "https://evil.example"}]}}"#,
        "/paths/~1bad/get/servers",
    ),
];

#[test]
fn each_costs_one_operation() {
    for (what, path, pointer) in BROKEN {
        let text = document(&format!("{path}, {GOOD}"), "");
        let (tools, notices) = OpenApi::parse(&text).unwrap().import().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name().to_owned()).collect();
        assert_eq!(names, ["good"], "{what}");
        let left_out: Vec<_> = notices
            .iter()
            .filter(|notice| notice.kind == NoticeKind::LeftOut)
            .collect();
        assert_eq!(left_out.len(), 1, "{what}: {notices:?}");
        assert_eq!(left_out[0].pointer, pointer, "{what}");
        assert!(
            left_out[0].to_string().starts_with(&left_out[0].operation),
            "{what}"
        );
        let strict = OpenApi::parse(&text).unwrap().strict().toolset();
        assert!(matches!(strict, Err(ImportError::Strict(_))), "{what}");
    }
}

#[test]
fn other_leaves_cost_themselves() {
    let leaves = [
        r#""/a": {"get": {"operationId": 7}}"#,
        r#""/a": {"get": {"tags": "x", "summary": [], "deprecated": "yes", "responses": 7, "security": "none"}}"#,
        r#""/a": {"parameters": null, "get": {"parameters": null, "servers": [], "requestBody": null}}"#,
        r#""/a": {"get": {"parameters": [{"name": "a", "in": "query", "schema": "x", "explode": "yes", "required": "no"}]}}"#,
        r#""/a": {"summary": 7, "x-a": [], "get": {"parameters": [{"name": "a", "in": "query", "style": "matrix"}]}}"#,
        r#""/a/{b}": {"get": {}}"#,
        r#""x-paths": 7, "/a": {"get": {"parameters": [{"name": "unused", "in": "path"}]}}"#,
        r#""/a": {"get": {"requestBody": {"content": {"application/xml": {}}}}}"#,
    ];
    for path in leaves {
        let text = document(&format!("{path}, {GOOD}"), "");
        let (tools, _) = OpenApi::parse(&text).unwrap().import().unwrap();
        assert_eq!(tools.iter().count(), 2, "{path}");
    }
}

#[test]
fn documents_that_are_none_say_so() {
    let error = |text: &str| OpenApi::parse(text).unwrap_err().to_string();
    assert!(error(r#"{"swagger": "2.0", "paths": {}}"#).contains("swagger2openapi"));
    assert!(error(r#"{"openapi": "4.0.0"}"#).contains("4.0.0"));
    assert!(error("[]").contains("not an OpenAPI document"));
    assert!(error("openapi: 3.0.0").contains("cannot be parsed"));
    assert!(matches!(
        OpenApi::parse_at_most(&document(GOOD, ""), 64),
        Err(ImportError::TooLong(64))
    ));
    let empty = document(r#""/bad": {"get": 7}"#, "");
    assert!(
        matches!(OpenApi::parse(&empty).unwrap().toolset(), Err(ImportError::Empty(notices)) if notices.len() == 1)
    );
    let text = format!("\u{feff}{}", document(GOOD, ""));
    assert_eq!(
        OpenApi::parse(&text)
            .unwrap()
            .toolset()
            .unwrap()
            .iter()
            .count(),
        1
    );
}

/// Pointers hold the names above them, so long names cost their length for each part below them.
#[test]
fn what_has_a_long_name_is_left_out() {
    let long = "k".repeat(100_000);
    let parts: Vec<_> = (0..2_000)
        .map(|n| format!(r#""p{n}": {{"type": 7}}"#))
        .collect();
    let inner = format!(
        r#"{{"type": "object", "properties": {{{}}}}}"#,
        parts.join(",")
    );
    let body = |schema: &str| {
        format!(
            r#""requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema}}}}}}}"#
        )
    };
    let schema = format!(
        r##"{{"type": "object", "properties": {{"name": {{}}, "{long}": {inner}, "other": {{"$ref": "#/components/schemas/{long}"}}}}}}"##
    );
    let text = document(
        &operation("/a", "post", &body(&schema)),
        &format!(r#""components": {{"schemas": {{"{long}": {inner}}}}}"#),
    );
    let notices = OpenApi::parse(&text).unwrap().notices();
    assert!(notices.iter().all(|notice| notice.pointer.len() < 5_000));
    let has = |words: &str| notices.iter().any(|notice| notice.message.contains(words));
    assert!(has("`$ref` has more than 1024 bytes"), "{notices:?}");
    let seen = crate::schema(&text)["properties"].clone();
    assert_eq!(seen, serde_json::json!({"name": {}, "other": {}}));
    let path = operation(&format!("/{long}"), "get", r#""tags": []"#);
    let text = document(&format!("{path}, {GOOD}"), "");
    let (tools, notices) = OpenApi::parse(&text).unwrap().import().unwrap();
    assert_eq!(tools.iter().count(), 1);
    assert!(
        notices.len() == 1 && notices[0].kind == NoticeKind::LeftOut,
        "{notices:?}"
    );
}

/// Each of these took time that grows with the square of its entries.
#[test]
fn long_lists_are_read_once() {
    let names: Vec<_> = (0..30_000).map(|n| format!(r#""name-{n}""#)).collect();
    let properties: Vec<_> = names.iter().map(|name| format!("{name}: {{}}")).collect();
    let required = format!(
        r#"{{"type": "object", "properties": {{"it": {{"type": "object", "required": [{0}], "properties": {{{1}}}}}}}}}"#,
        names.join(","),
        properties.join(",")
    );
    let values = format!(
        r#"{{"type": "object", "properties": {{"it": {{"enum": [{0}, {0}], {1}}}}}}}"#,
        names.join(","),
        properties.join(","),
    );
    // Many definitions of one name.
    let same: Vec<_> = (0..5_000)
        .map(|n| format!(r##""p{n}": {{"$ref": "#/components/examples/e{n}/it"}}"##))
        .collect();
    let same = format!(
        r#"{{"type": "object", "properties": {{{}}}}}"#,
        same.join(",")
    );
    let examples: Vec<_> = (0..5_000)
        .map(|n| format!(r#""e{n}": {{"it": {{}}}}"#))
        .collect();
    let components = format!(
        r#""components": {{"examples": {{{}}}}}"#,
        examples.join(",")
    );
    for (schema, property) in [(required, "it"), (values, "it"), (same, "p7")] {
        let body = format!(
            r#""requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema}}}}}}}"#
        );
        let text = document(&operation("/a", "post", &body), &components);
        let tools = OpenApi::parse(&text)
            .unwrap()
            .max_schema_bytes(4 << 20)
            .toolset()
            .unwrap();
        let seen = tools.get("run").unwrap().def().input.to_value();
        assert!(seen["properties"].get(property).is_some(), "{property}");
    }
}

/// A parser of JSON ends before that, and a value that a host makes does not.
#[test]
fn what_nests_too_deep_admits_any_value() {
    let nested = |depth: usize| {
        let mut schema = Value::object([("type", Value::from("string"))]);
        for _ in 0..depth {
            schema = Value::object([("items", schema)]);
        }
        let text = document(&operation("/a", "get", r#""parameters": [PARAMETER]"#), "");
        let text = text.replace("PARAMETER", r##"{"$ref": "#/x-parameter"}"##);
        let mut root = Value::parse(&text).unwrap().into_owned();
        let Value::Object(entries) = &mut root else {
            panic!("it is an object")
        };
        let parameter = [
            ("name", "a".into()),
            ("in", "query".into()),
            ("schema", schema),
        ];
        entries.push(("x-parameter".into(), Value::object(parameter)));
        let notices = OpenApi::new(root).unwrap().notices();
        let notices = notices.into_iter();
        let notices = notices.filter(|notice| notice.kind == NoticeKind::Loosened);
        notices.map(|notice| notice.message).collect::<Vec<_>>()
    };
    assert_eq!(nested(128), [""; 0]);
    assert_eq!(nested(129), ["this nests too deep"]);
    // Names make a pointer long, too.
    let name = "n".repeat(1_000);
    let mut schema = r#"{"type": "string"}"#.to_owned();
    for _ in 0..5 {
        schema = format!(r#"{{"properties": {{"{name}": {schema}}}}}"#);
    }
    let parameter =
        format!(r#""parameters": [{{"name": "a", "in": "query", "schema": {schema}}}]"#);
    let text = document(&operation("/a", "get", &parameter), "");
    let mut notices = OpenApi::parse(&text).unwrap().notices();
    notices.retain(|notice| notice.kind == NoticeKind::Loosened);
    assert!(
        notices.len() == 1 && notices[0].message == "this nests too deep",
        "{notices:?}"
    );
}

/// A chain of references has an end, as a circle of them has none.
#[test]
fn a_long_chain_of_references_costs_its_part() {
    let components = |count: usize| {
        let chain: Vec<_> = (0..count)
            .map(|at| {
                let next = at + 1;
                format!(r##""S{at}": {{"$ref": "#/components/schemas/S{next}"}}"##)
            })
            .collect();
        format!(
            r#""components": {{"schemas": {{{}, "S{count}": {{"type": "string"}}}}}}"#,
            chain.join(",")
        )
    };
    let parameter = r##""parameters": [{"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/S0"}}]"##;
    for (count, expected) in [(10, 0), (70, 1)] {
        let text = document(&operation("/a", "get", parameter), &components(count));
        let notices = OpenApi::parse(&text).unwrap().notices();
        let circles = notices
            .iter()
            .filter(|notice| notice.message.contains("leads in a circle, or nowhere"));
        assert_eq!(circles.count(), expected, "{count}: {notices:?}");
        let tools = OpenApi::parse(&text).unwrap().toolset();
        assert!(tools.is_ok(), "{count}: {tools:?}");
    }
}
