//! Anthropic's Messages: definitions, calls and answers as text.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::{
    Context, Encoder, Outcome, ToolCall, ToolDef, ToolError, ToolResult, Wire,
    call::{Block, Content, ErrorKind},
    tool, tools,
};

const WIRE: Wire = Wire::Anthropic;

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn response(content: &str) -> String {
    format!(
        r#"{{"id":"m1","type":"message","role":"assistant","content":{content},"stop_reason":"tool_use"}}"#
    )
}

fn answers(response: &str) -> Vec<ToolResult> {
    let tools = tools![add];
    let calls = WIRE.calls(response).unwrap();
    calls
        .iter()
        .map(|call| tools.call_blocking(call, &Context::new()))
        .collect()
}

#[test]
fn definitions_are_tools_in_order() {
    let number = json!({"type": "integer"});
    assert_eq!(
        parsed(&WIRE.definitions(&tools![add, add as "plus"])),
        json!(["add", "plus"].map(|name| json!({
            "name": name,
            "description": "Adds two numbers.",
            "input_schema": {
                "type": "object",
                "properties": {"a": number, "b": number},
                "required": ["a", "b"],
                "additionalProperties": false,
            },
        })))
    );
}

#[test]
fn a_definition_is_read_back() {
    let tools = tools![add];
    for def in tools.definitions() {
        let text = WIRE.definition(def);
        let back = WIRE.parse_definition(&text).unwrap();
        assert_eq!(WIRE.definition(&back), text);
        // The form is the stored one, less what a provider is not told.
        let stored: ToolDef = serde_json::from_str(&text).unwrap();
        assert_eq!(stored, back);
    }
}

#[test]
fn definitions_of_others_are_read_as_far_as_they_go() {
    let bare = ToolDef::new("ping", "");
    for text in [
        r#"{"name":"ping"}"#,
        r#"{"type":"custom","name":"ping","description":null,"input_schema":null,"cache_control":{}}"#,
    ] {
        assert_eq!(WIRE.parse_definition(text).unwrap(), bare, "{text}");
    }
    for text in [
        "",
        "[]",
        "{}",
        r#"{"name":null}"#,
        r#"{"name":"x","input_schema":7}"#,
        r#"{"type":"web_search_20250305","name":"web_search"}"#,
    ] {
        assert!(WIRE.parse_definition(text).is_err(), "{text}");
    }
}

#[test]
fn calls_come_in_order_among_other_blocks() {
    let response = response(
        r#"[
        {"type":"thinking","thinking":"…","signature":"s"},
        {"type":"text","text":"I will add."},
        {"type":"tool_use","id":"t1","name":"add","input":{"a": 1, "b": 2.0}},
        {"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"x"}},
        {"type":"something_new","id":"n1","name":"add","input":{}},
        {"input":{},"name":"add","id":"t2","type":"tool\u005fuse"}
        ]"#,
    );
    assert_eq!(
        WIRE.calls(&response).unwrap(),
        [
            ToolCall::new("t1", "add", r#"{"a": 1, "b": 2.0}"#),
            ToolCall::new("t2", "add", "{}"),
        ]
    );
}

#[test]
fn text_alone_has_no_calls() {
    let empty = response("[]");
    assert_eq!(WIRE.turn(&empty, &[], Encoder::auto()).unwrap(), "[]");
    for content in [r#""Hello.""#, r#"[{"type":"text","text":"Hello."}]"#] {
        let response = response(content);
        assert_eq!(WIRE.calls(&response).unwrap(), [], "{content}");
        assert_eq!(
            WIRE.turn(&response, &[], Encoder::auto()).unwrap(),
            format!(r#"[{{"role":"assistant","content":{content}}}]"#)
        );
    }
}

#[test]
fn what_stands_for_the_input_becomes_text() {
    for (input, arguments) in [
        (r#","input":{"a": 1}"#, r#"{"a": 1}"#),
        (r#","input":"{\"a\": 1}""#, r#"{"a": 1}"#),
        (r#","input":"""#, ""),
        (r#","input":null"#, ""),
        ("", ""),
        (r#","input":[1]"#, "[1]"),
    ] {
        let block = format!(r#"[{{"type":"tool_use","id":"t1","name":"x"{input}}}]"#);
        let calls = WIRE.calls(&response(&block)).unwrap();
        assert_eq!(calls, [ToolCall::new("t1", "x", arguments)], "{input}");
    }
}

#[test]
fn a_malformed_block_spoils_nothing_but_itself() {
    let good = r#"{"type":"tool_use","id":"good","name":"add","input":{"a":1,"b":2}}"#;
    // What is not known to be a call is for somebody else.
    for element in [
        "null",
        "7",
        r#""text""#,
        "[]",
        r#"["tool_use","x","add",{"a":1,"b":2}]"#,
        "{}",
        r#"{"type":7}"#,
        r#"{"type":null}"#,
    ] {
        let results = answers(&response(&format!("[{element},{good}]")));
        assert_eq!(results.len(), 1, "{element}");
        assert_eq!(results[0].value(), Some(json!(3)), "{element}");
    }
    for (parts, kind) in [
        ("", ErrorKind::Unknown),
        (r#","name":null,"input":{}"#, ErrorKind::Unknown),
        (r#","name":{},"input":{}"#, ErrorKind::Unknown),
        (r#","name":"\ud800","input":{}"#, ErrorKind::Unknown),
        (r#","name":"add""#, ErrorKind::InvalidArgs),
        (r#","name":"add","input":7"#, ErrorKind::InvalidArgs),
        (r#","name":"add","input":"{\"a\":""#, ErrorKind::InvalidArgs),
        (
            r#","name":"add","input":{"a":1,"a":2,"b":3}"#,
            ErrorKind::InvalidArgs,
        ),
    ] {
        let bad = format!(r#"{{"type":"tool_use","id":"bad"{parts}}}"#);
        let results = answers(&response(&format!("[{bad},{good}]")));
        let error = results[0].outcome.as_ref().unwrap_err();
        assert_eq!((&*results[0].id, error.kind()), ("bad", kind), "{parts}");
        assert_eq!(results[1].value(), Some(json!(3)), "{parts}");
    }
}

#[test]
fn a_missing_id_is_made_and_put_into_the_echo() {
    let response = response(
        r#"[{"type":"text","text":"Hm."},{"type":"tool_use","name":"add","input":{"a":1,"b":2}},{"type":"tool_use","id":"call_0","name":"add","input":{}}]"#,
    );
    let results = answers(&response);
    let ids: Vec<_> = results.iter().map(|result| &*result.id).collect();
    assert_eq!(ids, ["call_0_", "call_0"]);
    let turn = parsed(&WIRE.turn(&response, &results, Encoder::auto()).unwrap());
    assert_eq!(
        turn[0],
        json!({"role": "assistant", "content": [
            {"type": "text", "text": "Hm."},
            {"id": "call_0_", "type": "tool_use", "name": "add", "input": {"a": 1, "b": 2}},
            {"type": "tool_use", "id": "call_0", "name": "add", "input": {}},
        ]})
    );
    assert_eq!(turn[1]["content"][0]["tool_use_id"], json!("call_0_"));
}

#[test]
fn a_call_of_two_ids_is_answered_under_one() {
    let response = response(r#"[{"type":"tool_use","id":"a","id":"b","name":"add","input":{}}]"#);
    let results = answers(&response);
    let turn = parsed(&WIRE.turn(&response, &results, Encoder::auto()).unwrap());
    assert_eq!(
        turn[0]["content"],
        json!([{"id": "call_0", "type": "tool_use", "name": "add", "input": {}}])
    );
    assert_eq!(turn[1]["content"][0]["tool_use_id"], json!("call_0"));
}

#[test]
fn what_is_no_response_is_an_error_that_says_so() {
    for text in [
        "",
        "nonsense",
        "[]",
        "{}",
        // An array holds no fields.
        r#"["Hello."]"#,
        r#"[[{"type":"tool_use","id":"x","name":"add","input":{"a":1,"b":2}}]]"#,
        r#"{"content":null}"#,
        r#"{"content":7}"#,
        r#"{"content":{}}"#,
        r#"{"content":[}"#,
    ] {
        let error = WIRE.calls(text).unwrap_err();
        assert!(
            error.to_string().contains("Anthropic message"),
            "{text}: {error}"
        );
        assert!(WIRE.turn(text, &[], Encoder::auto()).is_err(), "{text}");
    }
}

#[test]
fn all_answers_are_one_message() {
    let content = r#"[{"type":"tool_use","id":"t1","name":"add","input":{"a":1,"b":2}},{"type":"tool_use","id":"t2","name":"add","input":{"a":1}}]"#;
    let response = response(content);
    let results = answers(&response);
    let turn = parsed(&WIRE.turn(&response, &results, Encoder::auto()).unwrap());
    assert_eq!(
        turn,
        json!([
            {"role": "assistant", "content": parsed(content)},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "3"},
                {
                    "type": "tool_result", "tool_use_id": "t2", "is_error": true,
                    "content": "b: missing, expected an integer",
                },
            ]},
        ])
    );
    assert_eq!(
        WIRE.turn(&response, &results, Encoder::auto())
            .unwrap()
            .find(content),
        Some(r#"[{"role":"assistant","content":"#.len())
    );
    assert_eq!(WIRE.results(&[], Encoder::auto()), "[]");
}

#[test]
fn every_kind_of_outcome_is_content_of_the_result() {
    let call = ToolCall::new("t1", "x", "{}");
    let blocks = Content::text("See:")
        .with(Block::Text {
            text: String::new(),
        })
        .image("image/png", "AAAA")
        .with(Block::Json { value: json!([1]) });
    let picture = json!({"type": "image", "source": {
        "type": "base64", "media_type": "image/png", "data": "AAAA",
    }});
    let shown = json!([
        {"type": "text", "text": "See:"}, picture, {"type": "text", "text": "[1]"},
    ]);
    for (outcome, content) in [
        (Ok(Outcome::value("as is")), json!("as is")),
        (Ok(Outcome::value(json!({"a": 1}))), json!(r#"{"a":1}"#)),
        (
            Ok(Outcome::ask("Which?")),
            json!("<awaiting user response>"),
        ),
        (Ok(Outcome::Content(blocks)), shown),
    ] {
        let results = [ToolResult::new(&call, outcome)];
        assert_eq!(
            parsed(&WIRE.results(&results, Encoder::auto())),
            json!([{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": content},
            ]}])
        );
    }
    let failed = [ToolResult::new(&call, Err(ToolError::failed("no")))];
    assert_eq!(
        parsed(&WIRE.results(&failed, Encoder::json())),
        json!([{"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": "t1",
            "content": r#"{"error":"no"}"#, "is_error": true,
        }]}])
    );
}

#[test]
fn the_wire_of_a_response_shows() {
    assert_eq!(Wire::detect(&response("[]")), Some(WIRE));
}
