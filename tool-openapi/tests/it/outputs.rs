//! Schemas of answers: what they say, and that no answer fails by them.

use serde_json::{Value, json};
use toolwright::schema::SchemaDoc;
use toolwright::{Context, Encoder, ToolCall, Toolset, Wire};
use toolwright_openapi::{NoticeKind, OpenApi, Trim};

use crate::{Recorder, document, operation};

const ORDER: &str = r##""Order": {"type": "object", "required": ["id", "secret"], "properties": {
    "id": {"type": "string", "readOnly": true, "pattern": "^(?<id>[a-z]+)$", "minLength": 2},
    "secret": {"type": "string", "writeOnly": true},
    "next": {"nullable": true, "allOf": [{"$ref": "#/components/schemas/Order"}]},
    "lines": {"type": "array", "maxItems": 9, "items": {"$ref": "#/components/schemas/Line"}}}},
    "Line": {"type": "object", "description": "One line.", "example": 1, "properties": {"count": {"type": "integer", "format": "int32"}}}"##;

/// A document whose operation answers so.
fn answering(responses: &str, schemas: &str) -> String {
    let entries = format!(r#""responses": {{{responses}}}"#);
    let components = format!(r#""components": {{"schemas": {{{schemas}}}}}"#);
    document(&operation("/a", "get", &entries), &components)
}

fn json_of(schema: &str) -> String {
    format!(
        r#""200": {{"description": "", "content": {{"application/json": {{"schema": {schema}}}}}}}"#
    )
}

fn output(document: &str) -> Option<Value> {
    let tools = OpenApi::parse(document).unwrap().toolset().unwrap();
    let output = tools.get("run").unwrap().def().output.as_ref();
    output.map(SchemaDoc::to_value)
}

const REFERENCE: &str = r##"{"$ref": "#/components/schemas/Order"}"##;

#[test]
fn an_answer_is_described() {
    let expected = json!({
        "type": "object",
        "anyOf": [{"$ref": "#/$defs/Order"}, {}],
        "$defs": {
            "Order": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "string"},
                    "next": {"anyOf": [{"allOf": [{"$ref": "#/$defs/Order"}]}, {"type": "null"}]},
                    "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
                },
            },
            "Line": {
                "type": "object",
                "description": "One line.",
                "properties": {"count": {"type": "integer", "format": "int32"}},
            },
        },
    });
    let text = answering(&json_of(REFERENCE), ORDER);
    assert_eq!(output(&text), Some(expected));
    // The first success with a content counts.
    let other = answering(
        r#""400": {"content": {"application/json": {"schema": {"type": "string"}}}}, "204": {"description": ""},
        "2XX": {"content": {"text/plain": {}, "application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}}"#,
        "",
    );
    let list = json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {}]});
    assert_eq!(output(&other), Some(list));
}

#[test]
fn an_answer_without_a_short_schema_has_none() {
    let long = format!(
        r#"{{"type": "object", "description": "{}"}}"#,
        "a".repeat(17_000)
    );
    let far = r##""Far": {"type": "object", "properties": {"deep": {"$ref": "#/components/schemas/Long"}}}"##;
    let far = format!(r#"{far}, "Long": {long}"#);
    let of = |schema: &str| output(&answering(&json_of(schema), &far));
    for schema in [
        "{}",
        "true",
        "7",
        r#"{"type": "object"}"#,
        r##"{"$ref": "#/components/schemas/None"}"##,
        r##"{"$ref": "#/components/schemas/Far"}"##,
        "{\"type\": \"object\", \"properties\": {\"a\u{200b}\": {}}}",
        &long,
    ] {
        assert_eq!(of(schema), None, "{}", &schema[..schema.len().min(60)]);
    }
    for responses in [
        "",
        r#""200": {"content": {"text/plain": {"schema": {"type": "string"}}}}"#,
    ] {
        assert_eq!(output(&answering(responses, "")), None);
    }
}

/// A client of MCP refuses an answer without structured content, or with another one than the schema admits. Other importers
/// fail such calls.
#[test]
fn no_answer_fails_by_its_schema() {
    let json = ("content-type", "application/json");
    let image = ("content-type", "image/png");
    let answers: &[(u16, (&str, &str), &str, Value)] = &[
        (
            200,
            json,
            r#"{"id":"ab","lines":[]}"#,
            json!({"id": "ab", "lines": []}),
        ),
        (200, json, r#"{"id":7}"#, json!({"id": 7})),
        (200, json, "[1]", json!({"answer": [1]})),
        (200, json, "null", json!({"answer": null})),
        (200, json, "not json", json!({"answer": "not json"})),
        (
            200,
            ("content-type", "text/html"),
            "<p>",
            json!({"answer": "<p>"}),
        ),
        (200, image, "\u{1}png", json!({"answer": "\u{1}png"})),
        (
            204,
            json,
            "",
            json!({"status": 204, "content-type": "application/json"}),
        ),
        (
            200,
            json,
            r#"{"lines":[1,2,3]}"#,
            json!({"answer": {"lines": [1, 2]}, "notes": ["`/lines` has 3 elements, of which 2 are shown"]}),
        ),
    ];
    let text = answering(&json_of(REFERENCE), ORDER);
    for (status, header, body, expected) in answers {
        let client = Recorder::answering(*status, &[*header], body);
        let api = OpenApi::parse(&text).unwrap().client(client);
        let tools = api.trim(Trim::default().items(2)).toolset().unwrap();
        let result = tools.call_blocking(&ToolCall::new("1", "run", "{}"), &Context::new());
        assert_eq!(
            published(&tools, Wire::Mcp)["outputSchema"]["type"],
            "object"
        );
        for wire in [Wire::Mcp, Wire::Mcp2026] {
            let written = wire.results(std::slice::from_ref(&result), Encoder::auto());
            let written: Value = serde_json::from_str(written.as_str()).unwrap();
            assert_eq!(written[0]["structuredContent"], *expected, "{body}");
        }
    }
}

fn published(tools: &Toolset, wire: Wire) -> Value {
    let definitions = wire.definitions(tools).to_string();
    let definitions: Value = serde_json::from_str(&definitions).unwrap();
    definitions[0].clone()
}

/// Before 2026, MCP has a place for objects alone. A list stays a list.
#[test]
fn a_list_stays_a_list() {
    let text = answering(
        &json_of(&format!(r#"{{"type": "array", "items": {REFERENCE}}}"#)),
        ORDER,
    );
    let client = Recorder::answering(200, &[("content-type", "application/json")], "[{}]");
    let tools = OpenApi::parse(&text)
        .unwrap()
        .client(client)
        .toolset()
        .unwrap();
    let value = tools
        .call_blocking(&ToolCall::new("1", "run", "{}"), &Context::new())
        .value();
    assert_eq!(value, Some(json!([{}])));
    assert_eq!(published(&tools, Wire::Mcp).get("outputSchema"), None);
    assert_eq!(
        published(&tools, Wire::Mcp2026)["outputSchema"]["anyOf"][1],
        json!({})
    );
}

/// Definitions have the names of their schemas, whichever operations stand beside.
#[test]
fn an_operation_more_changes_no_schema() {
    let one = r##""/b": {"get": {"operationId": "run", "responses": {"200": {"content": {"application/json": {"schema": {
        "type": "object", "properties": {"a": {"$ref": "#/components/schemas/a b"}, "b": {"$ref": "#/paths/~1b/get/responses/200/content/application~1json/schema/properties/c"}, "c": {"type": "string"}}}}}}}}}"##;
    let other = r##""/a": {"get": {"operationId": "other", "responses": {"200": {"content": {"application/json": {"schema": {
        "type": "object", "properties": {"a": {"$ref": "#/components/schemas/a_b"}}}}}}}}}"##;
    let schemas =
        r#""components": {"schemas": {"a_b": {"type": "integer"}, "a b": {"type": "string"}}}"#;
    let alone = output(&document(one, schemas)).unwrap();
    let beside = output(&document(&format!("{other}, {one}"), schemas)).unwrap();
    assert_eq!(alone, beside);
    assert_eq!(alone["$defs"].as_object().unwrap().len(), 2, "{alone}");
    assert!(alone["$defs"].get("a_b").is_none(), "{alone}");
}

#[test]
fn an_answer_brings_no_notice() {
    let text = answering(
        &json_of(
            r#"{"type": "object", "properties": {"a": 7, "b": {"type": "any", "$dynamicRef": "x"}}}"#,
        ),
        "",
    );
    let (tools, notices) = OpenApi::parse(&text).unwrap().import().unwrap();
    // Its id is a verb.
    let others = notices
        .iter()
        .filter(|notice| notice.kind != NoticeKind::Hint);
    assert_eq!(others.count(), 0, "{notices:?}");
    assert!(tools.get("run").unwrap().def().output.is_some());
}
